// Transposed convolutions on our kernels: the reference's values, and the same bits in any tile, on
// any number of threads, with a map added or not, from kept weights or from the model's.
#include <doctest/doctest.h>

#include <cmath>

#include "devices/layers/native_layer.hpp"
#include "devices/native/native_executor.hpp"
#include "devices/native/native_footprint.hpp"
#include "tests/devices/layers.hpp"
#include "tests/devices/scratch.hpp"

namespace shingle::tests {

namespace {

struct Up {
  const char* name;
  Shape in;
  int32_t outputs, groups;
  Window y, x;
  int32_t output_padding = 0;
  Activation activation = {};
};

constexpr Window by2{.kernel = 2, .stride = 2};
constexpr Window four{.kernel = 4, .stride = 2, .dilation = 1, .pad_begin = 1, .pad_end = 1};
constexpr Window three{.kernel = 3, .stride = 2, .dilation = 1, .pad_begin = 1, .pad_end = 1};
constexpr Window dilated{.kernel = 3, .stride = 2, .dilation = 3, .pad_begin = 2, .pad_end = 1};
constexpr Window even{.kernel = 3, .stride = 2, .dilation = 2, .pad_begin = 1, .pad_end = 1};
constexpr Window sparse{.kernel = 2, .stride = 4, .dilation = 1, .pad_begin = 1};
constexpr Window steps{.kernel = 2, .stride = 5};
constexpr Window coarse{.kernel = 16, .stride = 8, .dilation = 1, .pad_begin = 4, .pad_end = 4};
constexpr Activation relu{.kind = Activation::Kind::relu}, silu{.kind = Activation::Kind::silu};

constexpr Up ups[] = {{"U-Net", {9, 40, 48}, 70, 1, by2, by2},
                      {"text", {7, 11, 64}, 1, 1, by2, by2, 0, relu},
                      {"pose", {10, 17, 40}, 33, 1, four, four, 0, silu},
                      {"decoder", {9, 15, 20}, 40, 1, three, three, 1},
                      {"two ways", {6, 20, 12}, 17, 1, sparse, four, 0, relu},
                      {"dilated", {9, 12, 7}, 20, 1, dilated, even, 1},
                      {"groups", {8, 9, 12}, 40, 2, three, four},
                      {"depthwise", {9, 13, 37}, 37, 37, four, three, 1, silu},
                      {"mask", {5, 6, 21}, 21, 21, coarse, coarse},
                      {"long steps", {5, 6, 12}, 20, 1, steps, by2}};

Model model_of(const Up& up, bool adds = false) {
  const auto grown = [&](const Window& w, int32_t size) {
    return (size - 1) * w.stride + extent(w) - w.pad_begin - w.pad_end + up.output_padding;
  };
  const Shape out{grown(up.y, up.in.h), grown(up.x, up.in.w), up.outputs};
  Model model;
  const TensorId in = add_input(model, "in", up.in);
  const int64_t fan_in = int64_t{up.in.c / up.groups} * up.y.kernel * up.x.kernel;
  std::vector<float> weights = random_values(fan_in * up.outputs, 3);
  for (float& weight : weights) weight *= std::sqrt(3.0F / static_cast<float>(fan_in));
  const TransposedConvolution op{.y = up.y,
                                 .x = up.x,
                                 .groups = up.groups,
                                 .weights = add_constant(model, std::move(weights)),
                                 .bias = add_constant(model, random_values(up.outputs, 4))};
  TensorId last = add_layer(model, "up", op, {in}, up.activation, out);
  if (adds) {
    const TensorId skip = add_input(model, "skip", out);
    last = add_layer(model, "sum", Binary{Binary::Kind::add}, {last, skip});
  }
  add_output(model, "out", last);
  return model;
}

}  // namespace

TEST_CASE("Transposed convolutions agree with the reference, whatever computes the rest") {
  for (const Up& up : ups) {
    CAPTURE(std::string(up.name));
    const Model model = model_of(up);
    const Layer& layer = model.layers[0];
    const Span channels{0, up.outputs};
    CHECK(runs_natively(model, layer, Algorithm::direct, channels) ==
          (std::string_view(up.name) != "groups" && std::string_view(up.name) != "long steps"));
    const std::vector<Map> inputs = random_inputs(model, 11);
    const Map reference = run_whole(*make_executor(false), model, inputs)[0];
    const Map own = run_whole(*make_executor(true), model, inputs)[0];
    NativeExecutor on_xnnpack({.threads = 1, .kernels = NativeOptions::Kernels::xnnpack});
    CHECK(relative_error(own, reference) < 1e-5);
    CHECK(differing_bytes(own, run_whole(on_xnnpack, model, inputs)[0]) == 0);
  }
}

TEST_CASE("A tile of a transposed convolution has the whole map's bits, on any number of threads") {
  networks::Random random(12);
  for (const Up& up : ups) {
    CAPTURE(std::string(up.name));
    const Model model = model_of(up);
    const std::vector<Map> inputs = random_inputs(model, 13);
    const Map expected = run_whole(*make_executor(true), model, inputs)[0];
    for (const int threads : {1, 2, 3}) {
      NativeExecutor executor({.threads = threads});
      CHECK(differing_bytes(run_whole(executor, model, inputs)[0], expected) == 0);
      for (int i = 0; i < 20; ++i) {
        const TileProgram tile = random_tile(random, model);
        REQUIRE(executor.prepare(model, std::span(&tile, 1)).ok());
        CAPTURE(to_string(tile.outputs[0].region));
        CHECK(differing_bytes(run(executor, model, tile, inputs)[0], expected) == 0);
        executor.forget(std::span(&tile, 1));
      }
    }
  }
}

TEST_CASE("A map that is added to a transposed convolution's sums is added exactly once") {
  for (const Up& up : ups) {
    CAPTURE(std::string(up.name));
    const Model model = model_of(up, true);
    const std::vector<Map> inputs = random_inputs(model, 14);
    const Map sum = run_whole(*make_executor(true), model, inputs)[0];
    const Map sums = run_whole(*make_executor(true), model_of(up), {inputs[0]})[0];
    int64_t wrong = 0;
    for (size_t i = 0; i < sum.values.size(); ++i)
      wrong += sum.values[i] == sums.values[i] + inputs[1].values[i] ? 0 : 1;
    CHECK(wrong == 0);
  }
}

TEST_CASE("The memory of transposed convolutions is foreseen to the byte") {
  for (const Up& up : ups) {
    CAPTURE(std::string(up.name));
    const Model model = model_of(up);
    const TileProgram program = whole_program(model);
    if (!runs_natively(model, model.layers[0], Algorithm::direct, {0, up.outputs})) continue;
    for (const int threads : {1, 2}) {
      NativeExecutor executor({.threads = threads});
      REQUIRE(executor.prepare(model, std::span(&program, 1)).ok());
      const Footprint footprint = native_footprint(threads);
      CHECK(executor.memory().packed_bytes == footprint.weights(model, program.steps[0]));
      const PassBuffers buffers = footprint.pass(model, program);
      CHECK(executor.memory().scratch_bytes == buffers.maps_bytes + buffers.scratch_bytes);
    }
  }
}

TEST_CASE("Weights of transposed convolutions are kept, and a model without them runs on these") {
  const Scratch folder;
  const Up up{"kept", {8, 8, 96}, 80, 1, four, three};
  Model model = model_of(up);
  const std::vector<Map> inputs = random_inputs(model, 15);
  const Map expected = run_whole(*make_executor(true), model, inputs)[0];
  {
    NativeExecutor first({.threads = 1, .packed_folder = folder.path()});
    CHECK(differing_bytes(run_whole(first, model, inputs)[0], expected) == 0);
    CHECK(first.layers_in_store() == std::vector<LayerId>{LayerId{0}});
  }
  model.constants[0].data = nullptr;
  NativeExecutor second({.threads = 1, .packed_folder = folder.path()});
  CHECK(differing_bytes(run_whole(second, model, inputs)[0], expected) == 0);
  NativeExecutor nowhere({.threads = 1});
  const TileProgram program = whole_program(model);
  const Status refused = nowhere.prepare(model, std::span(&program, 1));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().find("layer 'up' has no weights here") != std::string::npos);
}

}  // namespace shingle::tests
