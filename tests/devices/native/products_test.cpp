// Products of two values on our kernels: the same bits in any tile, on any number of threads, and
// scores of an attention that never exist whole.
#include <doctest/doctest.h>

#include "devices/native/native_executor.hpp"
#include "tests/devices/layers.hpp"

namespace shingle::tests {

namespace {

struct Attention {
  Model model;
  TensorId scores, sum;
};

// Queries, keys and values are three inputs; the activation is that of the last product.
Attention attention(Shape queries, Shape keys, int32_t heads, int32_t depth, int32_t width,
                    Activation activation = {}) {
  Attention made;
  Model& model = made.model;
  const auto input = [&](const char* name, Shape pixels, int32_t channels) {
    pixels.c = heads * channels;
    return add_input(model, name, pixels);
  };
  const TensorId q = input("queries", queries, depth), k = input("keys", keys, depth);
  const TensorId v = input("values", keys, width);
  made.scores = add_layer(model, "scores", MatrixProduct{.stack = heads, .turned = true}, {q, k});
  const TensorId weights =
      add_layer(model, "weights", Softmax{Axis::c, false, heads}, {made.scores});
  made.sum = add_layer(model, "sum", MatrixProduct{.stack = heads}, {weights, v}, activation);
  add_output(model, "sum", made.sum);
  return made;
}

std::vector<Attention> attentions() {
  std::vector<Attention> all;
  all.push_back(attention({6, 7, 0}, {5, 9, 0}, 1, 3, 70));
  all.push_back(attention({4, 20, 0}, {4, 20, 0}, 2, 32, 40, {.kind = Activation::Kind::relu}));
  all.push_back(attention({1, 37, 0}, {1, 37, 0}, 3, 16, 5, {.kind = Activation::Kind::silu}));
  all.push_back(attention({30, 1, 0}, {1, 1, 0}, 2, 1, 1));
  return all;
}

// Of the scores and of the sum: cut by rows, columns, heads, and within heads.
std::vector<Slice> parts_of(const Attention& made, networks::Random& random) {
  std::vector<Slice> parts;
  for (const TensorId tensor : {made.scores, made.sum}) {
    for (int i = 0; i < 12; ++i)
      parts.push_back({tensor, random_region(random, made.model.at(tensor).shape)});
  }
  return parts;
}

}  // namespace

TEST_CASE("A tile of an attention has the whole one's bits, on any number of threads") {
  uint64_t seed = 1;
  for (Attention& made : attentions()) {
    CAPTURE(seed);
    Model& model = made.model;
    add_output(model, "scores", made.scores);
    const std::vector<Map> inputs = random_inputs(model, seed);
    networks::Random random(seed++);
    const std::vector<Map> expected = run_whole(*make_executor(true), model, inputs);
    for (const int threads : {1, 2, 3}) {
      NativeExecutor executor({.threads = threads});
      for (const Slice& part : parts_of(made, random)) {
        const TileProgram tile = tile_program(model, whole_block(model), {part});
        REQUIRE(executor.prepare(model, std::span(&tile, 1)).ok());
        const Map& whole_map = expected[part.tensor == made.scores ? 0 : 1];
        REQUIRE(whole_map.region == whole(model.at(part.tensor).shape));
        CAPTURE(to_string(part.region));
        CHECK(differing_bytes(run(executor, model, tile, inputs)[0], whole_map) == 0);
        executor.forget(std::span(&tile, 1));
      }
    }
  }
}

TEST_CASE(
    "Products on our kernels agree with the reference and with any executor's other kernels") {
  uint64_t seed = 5;
  for (const Attention& made : attentions()) {
    CAPTURE(seed);
    const std::vector<Map> inputs = random_inputs(made.model, seed++);
    const Map reference = run_whole(*make_executor(false), made.model, inputs)[0];
    const Map own = run_whole(*make_executor(true), made.model, inputs)[0];
    NativeExecutor on_xnnpack({.threads = 1, .kernels = NativeOptions::Kernels::xnnpack});
    CHECK(relative_error(own, reference) < 1e-5);
    CHECK(differing_bytes(own, run_whole(on_xnnpack, made.model, inputs)[0]) == 0);
  }
}

TEST_CASE("Frames of one plan do not see each other's second operands") {
  const Attention made = attention({6, 7, 0}, {5, 9, 0}, 2, 3, 4);
  NativeExecutor executor({.threads = 1});
  const TileProgram program = whole_program(made.model);
  REQUIRE(executor.prepare(made.model, std::span(&program, 1)).ok());
  CHECK(executor.memory().packed_bytes == 0);  // operands are packed in the arena
  for (const uint64_t seed : {1, 2, 1}) {
    const std::vector<Map> inputs = random_inputs(made.model, seed);
    const Map expected = run_whole(*make_executor(true), made.model, inputs)[0];
    CHECK(differing_bytes(run(executor, made.model, program, inputs)[0], expected) == 0);
  }
  CHECK(executor.memory().packed_bytes == 0);
}

TEST_CASE("The scores of an attention never exist whole") {
  const Attention made = attention({32, 32, 0}, {32, 32, 0}, 2, 8, 8);
  NativeExecutor executor({.threads = 1});
  const TileProgram program = whole_program(made.model);
  REQUIRE(executor.prepare(made.model, std::span(&program, 1)).ok());
  const MemoryPlan plan = executor.memory_plan(program);
  CAPTURE(draw(plan));
  CHECK(plan.arena_bytes * 2 < plan.layer_wise_bytes);
}

}  // namespace shingle::tests
