// Maps of one row, as transformers and networks on signals have them: strips are columns.
#include <doctest/doctest.h>

#include "devices/native/native_executor.hpp"
#include "devices/pass/memory_plan.hpp"
#include "tests/devices/pass/tagged_arena.hpp"
#include "tests/devices/tile_runs.hpp"
#include "tests/networks/builder.hpp"

namespace shingle::tests {

namespace {

constexpr int32_t features = 32, heads = 4;

TensorId attention(networks::Builder& builder, TensorId x) {
  const auto projected = [&] {
    return builder.convolution(x, {.channels = features, .kernel = 1});
  };
  const TensorId queries = projected(), keys = projected(), values = projected();
  TensorId scores = builder.layer(MatrixProduct{.stack = heads, .turned = true}, {queries, keys});
  scores = builder.layer(Softmax{.axis = Axis::c, .log = false, .groups = heads}, {scores});
  const TensorId mixed = builder.layer(MatrixProduct{.stack = heads}, {scores, values});
  return builder.add(builder.convolution(mixed, {.channels = features, .kernel = 1}), x);
}

// Two blocks on a row of tokens, with a convolution along them in between.
Model tokens(int32_t count) {
  networks::Builder builder(11);
  TensorId x = attention(builder, builder.input({1, count, features}));
  x = builder.convolution(x, {.channels = features, .kernel = 5, .activation = networks::silu});
  TensorId hidden =
      builder.convolution(x, {.channels = 4 * features, .kernel = 1, .activation = networks::silu});
  x = builder.add(builder.convolution(hidden, {.channels = features, .kernel = 1}), x);
  builder.output(attention(builder, x));
  return std::move(builder).finish("tokens");
}

const TensorPlace& place_of(const TilePass& pass, const PassStep& step) {
  return pass.places[step.output];
}

}  // namespace

TEST_CASE("One row of tokens: scores and features exist a few columns at a time") {
  const Model model = tokens(400);
  const TileProgram program = whole_program(model);
  const PlannedPass pass = planned_pass(model, program, {.strip_pixels = 80}, Kernels::ours);
  size_t products = 0;
  for (const PassStep& step : pass.steps) {
    const auto* op = std::get_if<MatrixProduct>(&model.at(step.layer).op);
    if (op == nullptr || !op->turned) continue;
    ++products;
    CHECK(place_of(pass, step).rows <= 40);
  }
  CHECK(products == 2);
  CHECK(pass.arena_bytes * 4 < layer_wise_bytes(model, program));
}

TEST_CASE("One row of tokens: an operand is free once its product has packed it") {
  const Model model = tokens(400);
  const PlannedPass pass =
      planned_pass(model, whole_program(model), {.strip_pixels = 80}, Kernels::ours);
  size_t products = 0;
  for (const PassStep& step : pass.steps) {
    if (!std::holds_alternative<MatrixProduct>(model.at(step.layer).op)) continue;
    ++products;
    const TensorPlace& second = pass.places[step.inputs[1]];
    const PassStrip& last = pass.strips[second.last_strip];
    CHECK(&pass.steps[last.step] == &step);
    CHECK(last.rows.begin == 0);
    CHECK(last.rows.end < 400);
  }
  CHECK(products >= 2);
}

TEST_CASE("One row of tokens: the same bits in strips of any width, in tiles and on any threads") {
  const Model model = tokens(333);
  const std::vector<Map> inputs = random_inputs(model, 5);
  NativeExecutor one;
  const std::vector<Map> expected = run_whole(one, model, inputs);
  for (const int threads : {2, 3, 5}) {
    CAPTURE(threads);
    NativeExecutor several({.threads = threads});
    CHECK(differing_bytes(run_whole(several, model, inputs)[0], expected[0]) == 0);
  }
  NativeExecutor little({.map_bytes = 0});
  CHECK(differing_bytes(run_whole(little, model, inputs)[0], expected[0]) == 0);
  networks::Random random(3);
  for (int round = 0; round < 30; ++round) {
    const TileProgram tile = random_tile(random, model);
    NativeExecutor executor({.threads = random.between(1, 2)});
    REQUIRE(executor.prepare(model, std::span(&tile, 1)));
    CHECK(differing_bytes(run(executor, model, tile, inputs)[0], expected[0]) == 0);
  }
}

}  // namespace shingle::tests
