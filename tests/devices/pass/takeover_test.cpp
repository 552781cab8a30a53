#include "devices/pass/takeover.hpp"

#include <doctest/doctest.h>

#include "devices/native/native_executor.hpp"
#include "tests/devices/pass/tagged_arena.hpp"
#include "tests/devices/tile_runs.hpp"
#include "tests/networks/builder.hpp"

namespace shingle::tests {

namespace {

constexpr int32_t features = 32, few = 320;
constexpr int32_t many = 2000;  // enough work for strips on several threads
constexpr PassOptions low{.strip_pixels = 80};

// An attention on a row of tokens. Its queries are whole, because keys and values come from them,
// and then they are read strip by strip.
Model attention(int32_t count, bool reads_queries_again = false) {
  networks::Builder builder(5);
  const auto projected = [&](TensorId x) {
    return builder.convolution(x,
                               {.channels = features, .kernel = 1, .activation = networks::silu});
  };
  const TensorId queries = projected(builder.input({1, count, features}));
  const TensorId keys = projected(queries), values = projected(queries);
  const TensorId scores = builder.layer(MatrixProduct{.turned = true}, {queries, keys});
  const TensorId mixed =
      builder.layer(MatrixProduct{}, {builder.layer(Softmax{}, {scores}), values});
  builder.output(builder.layer(MatrixProduct{.turned = true}, {values, mixed}));  // mixed whole
  if (reads_queries_again)
    builder.output(builder.layer(MatrixProduct{.turned = true}, {mixed, queries}));
  return std::move(builder).finish("attention");
}

// What the result of the attention takes over, as the name of an operator.
std::string taken_by_result(const Model& model, const PassOptions& options = low) {
  const TileProgram program = whole_program(model);
  const PlannedPass pass = planned_pass(model, program, options, Kernels::ours);
  const auto taken = takeovers(model, pass);
  for (const PassStep& step : pass.steps) {
    const auto* op = std::get_if<MatrixProduct>(&model.at(step.layer).op);
    if (op == nullptr || op->turned || !taken[step.output]) continue;
    const size_t before = *taken[step.output];
    CHECK(pass.places[before].offset == pass.places[step.output].offset);
    return model.at(pass.places[before].tensor).name;
  }
  return "nothing";
}

}  // namespace

TEST_CASE("An attention's result lies where its queries lay, row by row") {
  const Model model = attention(few);
  CHECK(taken_by_result(model) == model.at(model.layers[0].output).name);
}

TEST_CASE("A map that is read as a whole later is not taken over") {
  CHECK(taken_by_result(attention(few, true)) == "nothing");
}

TEST_CASE("Rows that are taken over give the same bits on several threads") {
  const Model model = attention(many);
  const std::string queries = model.at(model.layers[0].output).name;
  const std::vector<Map> inputs = random_inputs(model, 7);
  NativeExecutor one;
  const std::vector<Map> expected = run_whole(one, model, inputs);
  for (const int threads : {1, 2, 4}) {
    CAPTURE(threads);
    CHECK(taken_by_result(model, in_strips(threads)) == queries);
    NativeExecutor several({.threads = threads});
    CHECK(differing_bytes(run_whole(several, model, inputs)[0], expected[0]) == 0);
  }
}

}  // namespace shingle::tests
