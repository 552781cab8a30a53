// The XNNPACK executor on single layers large enough for strips and channel spans: against the
// reference, and tiles against the whole map.
#include "devices/native/native_executor.hpp"

#include <doctest/doctest.h>

#include "devices/native/reference.hpp"
#include "tests/devices/layers.hpp"

namespace shingle::tests {

namespace {

constexpr Activation leaky{.kind = Activation::Kind::leaky_relu, .alpha = 0.1F};
constexpr Activation relu{.kind = Activation::Kind::relu};
constexpr Activation relu6{.kind = Activation::Kind::clip, .alpha = 0.0F, .beta = 6.0F};
constexpr Activation silu{.kind = Activation::Kind::silu};

// Whole map against the reference; then random tiles, always some of one pixel, one row, one
// column and a few channels, against the whole map's bits.
void check_layer(const Model& model, uint64_t seed, NativeOptions::Kernels kernels, int tiles) {
  const std::vector<Map> inputs = random_inputs(model, seed);
  ReferenceExecutor reference;
  NativeExecutor xnnpack({.threads = 1, .kernels = kernels});
  const Map expected = run_whole(reference, model, inputs).at(0);
  const Map computed = run_whole(xnnpack, model, inputs).at(0);
  CHECK(relative_error(computed, expected) < 1e-5);
  networks::Random random(seed);
  const TensorId output = model.outputs[0].tensor;
  const Shape shape = model.at(output).shape;
  for (int i = 0; i < tiles; ++i) {
    Region region = random_region(random, shape);
    if (i % 5 == 1) region.y.end = region.y.begin + 1;
    if (i % 5 == 2) region.x.end = region.x.begin + 1;
    if (i % 5 == 3)
      region = {
          {region.y.begin, region.y.begin + 1}, {region.x.begin, region.x.begin + 1}, region.c};
    CAPTURE(to_string(region));
    const TileProgram tile = tile_program(model, whole_block(model), {{output, region}});
    REQUIRE(xnnpack.prepare(model, std::span(&tile, 1)).ok());
    CHECK(differing_bytes(run(xnnpack, model, tile, inputs).at(0), computed) == 0);
  }
}

void check_layer(const Model& model, uint64_t seed) {
  for (const auto kernels : {NativeOptions::Kernels::own, NativeOptions::Kernels::xnnpack}) {
    check_layer(model, seed, kernels, 25);
  }
}

}  // namespace

TEST_CASE("Convolutions of every kind agree with the reference, and their tiles with the whole") {
  struct Case {
    std::string name;
    Shape in;
    ConvolutionLayer layer;
  };
  const Window same3 = square(3);
  const Case cases[] = {
      {"3x3", {20, 17, 24}, {same3, same3, 1, 80, leaky}},
      {"3x3 of an image, several strips", {130, 140, 3}, {same3, same3, 1, 32, leaky}},
      {"3x3 stride 2", {21, 22, 16}, {square(3, 2), square(3, 2), 1, 48, silu}},
      {"1x1", {19, 19, 64}, {{}, {}, 1, 100, relu}},
      {"1x1 stride 2",
       {19, 18, 32},
       {{.kernel = 1, .stride = 2}, {.kernel = 1, .stride = 2}, 1, 33, {}}},
      {"7x7 stride 2", {33, 40, 3}, {square(7, 2), square(7, 2), 1, 64, relu}},
      {"2x2 without padding", {16, 16, 8}, {{.kernel = 2}, {.kernel = 2}, 1, 17, {}}},
      {"1x7", {14, 14, 20}, {{}, square(7), 1, 24, relu}},
      {"dilated 3x3", {24, 24, 12}, {square(3, 1, 3), square(3, 1, 3), 1, 20, {}}},
      {"few outputs", {18, 18, 40}, {same3, same3, 1, 5, {}}},
      {"one output", {18, 18, 40}, {{}, {}, 1, 1, {}}},
      {"17 outputs", {18, 18, 10}, {same3, same3, 1, 17, {}}},
      {"depthwise 3x3", {25, 24, 72}, {same3, same3, 72, 72, relu6}},
      {"depthwise 3x3 stride 2", {25, 24, 40}, {square(3, 2), square(3, 2), 40, 40, relu6}},
      {"depthwise 5x5", {25, 24, 19}, {square(5), square(5), 19, 19, {}}},
      {"depthwise 7x7", {25, 24, 18}, {square(7), square(7), 18, 18, {}}},
      {"depthwise 1x1", {12, 12, 30}, {{}, {}, 30, 30, {}}},
      {"depthwise of two outputs", {12, 12, 20}, {same3, same3, 20, 40, {}}},
      {"four groups", {16, 16, 32}, {same3, same3, 4, 64, {}}},
      {"two groups of few", {16, 16, 6}, {same3, same3, 2, 10, {}}},
      {"fully connected", {1, 1, 256}, {{}, {}, 1, 100, {}}},
      {"fully connected over a map", {4, 5, 32}, {{.kernel = 4}, {.kernel = 5}, 1, 50, relu}},
      {"two output pixels", {2, 3, 32}, {{.kernel = 2}, {.kernel = 2}, 1, 24, {}}},
  };
  uint64_t seed = 100;
  for (const Case& example : cases) {
    CAPTURE(example.name);
    check_layer(convolution_model(example.in, example.layer, seed), seed);
    ++seed;
  }
}

TEST_CASE("Pooling and softmax agree with the reference, and their tiles with the whole") {
  using Kind = Pooling::Kind;
  const Window two{.kernel = 2, .stride = 2}, three = square(3, 2);
  const Window apart{.kernel = 2, .stride = 3};  // some pixels are read by no window
  struct Case {
    std::string name;
    Shape in;
    Operator op;
  };
  const Case cases[] = {
      {"max 2x2", {60, 62, 40}, Pooling{Kind::max, two, two, false}},
      {"max 2x2 stride 1", {19, 19, 40}, Pooling{Kind::max, square(2), square(2), false}},
      {"max 3x3 stride 2", {23, 24, 35}, Pooling{Kind::max, three, three, false}},
      {"max 5x5", {20, 20, 17}, Pooling{Kind::max, square(5), square(5), false}},
      {"max 13x13", {20, 20, 8}, Pooling{Kind::max, square(13), square(13), false}},
      {"max 2x2 stride 3", {23, 24, 35}, Pooling{Kind::max, apart, apart, false}},
      {"average 2x2 stride 3", {23, 24, 35}, Pooling{Kind::average, apart, apart, false}},
      {"average 2x2", {20, 22, 33}, Pooling{Kind::average, two, two, false}},
      {"average 5x4", {20, 22, 33}, Pooling{Kind::average, {.kernel = 5}, {.kernel = 4}, false}},
      {"average 3x3 with padding", {23, 24, 20}, Pooling{Kind::average, three, three, false}},
      {"average 3x3 counting padding", {23, 24, 20}, Pooling{Kind::average, three, three, true}},
      {"softmax", {9, 10, 100}, Softmax{}},
      {"softmax of two", {9, 10, 2}, Softmax{}},
      {"log softmax", {9, 10, 20}, Softmax{Axis::c, true}},
  };
  uint64_t seed = 200;
  for (const Case& example : cases) {
    CAPTURE(example.name);
    check_layer(layer_model(example.in, example.op), seed++);
  }
}

TEST_CASE("An average that counts padding divides by the whole window at the border") {
  const Window window = square(3);
  const Model model =
      layer_model({4, 4, 20}, Pooling{Pooling::Kind::average, window, window, true});
  NativeExecutor executor;
  const std::vector<Map> ones{{whole({4, 4, 20}), std::vector<float>(320, 1.0F)}};
  const Map result = run_whole(executor, model, ones).at(0);
  CHECK(result.at(0, 0, 0) == 4.0F / 9.0F);
  CHECK(result.at(0, 1, 0) == 6.0F / 9.0F);
  CHECK(result.at(1, 1, 0) == 1.0F);
}

TEST_CASE("A window that lies wholly in padding gives the bias, and its tile reads nothing") {
  const Window window{.kernel = 2, .stride = 1, .dilation = 1, .pad_begin = 5, .pad_end = 5};
  const Model model = convolution_model({6, 6, 8}, {window, window, 1, 20, {}}, 5);
  const auto& op = std::get<Convolution>(model.layers[0].op);
  const TileProgram corner = tile_program(model, whole_block(model),
                                          {{model.outputs[0].tensor, {{0, 3}, {0, 2}, {0, 20}}}});
  REQUIRE(corner.inputs.empty());
  for (const bool native : {false, true}) {
    const std::unique_ptr<Executor> executor = make_executor(native);
    REQUIRE(executor->prepare(model, std::span(&corner, 1)).ok());
    const Map result = run(*executor, model, corner, {}).at(0);
    for (int32_t c = 0; c < 20; ++c) CHECK(result.at(1, 1, c) == model.at(*op.bias)[c]);
  }
  check_layer(model, 6);
}

TEST_CASE("One map with readers that want it in different ways serves them all") {
  // A 3x3, a 1x1, a max-pool and an addition read the same tensor; so does the caller.
  Model model;
  const TensorId input = add_input(model, "input", {18, 20, 12});
  const auto convolution = [&](const char* name, TensorId from, int32_t kernel, uint64_t seed) {
    const Convolution op{
        .y = square(kernel),
        .x = square(kernel),
        .groups = 1,
        .weights = add_constant(model, random_values(12 * 12 * kernel * kernel, seed)),
        .bias = std::nullopt};
    return add_layer(model, name, op, {from}, leaky);
  };
  const TensorId shared = convolution("shared", input, 3, 1);
  const TensorId wide = convolution("wide", shared, 3, 2),
                 narrow = convolution("narrow", shared, 1, 3);
  const Pooling pool{Pooling::Kind::max, square(3), square(3), false};
  const TensorId pooled = add_layer(model, "pooled", pool, {shared});
  const TensorId sum = add_layer(model, "sum", Binary{}, {wide, shared});
  const TensorId more = add_layer(model, "more", Binary{}, {sum, narrow});
  add_output(model, "shared", shared);
  add_output(model, "all", add_layer(model, "all", Concat{}, {more, pooled}));

  const std::vector<Map> inputs = random_inputs(model, 12);
  ReferenceExecutor reference;
  NativeExecutor xnnpack;
  const std::vector<Map> expected = run_whole(reference, model, inputs);
  const std::vector<Map> computed = run_whole(xnnpack, model, inputs);
  networks::Random random(13);
  for (size_t i = 0; i < expected.size(); ++i)
    CHECK(relative_error(computed[i], expected[i]) < 1e-5);
  for (int i = 0; i < 40; ++i) {
    const TileProgram tile = random_tile(random, model);
    REQUIRE(xnnpack.prepare(model, std::span(&tile, 1)).ok());
    const std::vector<Map> parts = run(xnnpack, model, tile, inputs);
    for (size_t output = 0; output < parts.size(); ++output) {
      const size_t index = tile.outputs[output].tensor == shared ? 0 : 1;
      CHECK(differing_bytes(parts[output], computed[index]) == 0);
    }
  }
}

TEST_CASE("Readers that want the same box with different borders do not see each other's") {
  // A convolution and a max-pool of the same window on a map that is negative everywhere.
  for (const bool pool_first : {false, true}) {
    Model model;
    const TensorId input = add_input(model, "input", {12, 12, 16});
    const TensorId size =
        add_layer(model, "abs", Elementwise{}, {input}, {.kind = Activation::Kind::abs});
    const TensorId negative =
        add_layer(model, "neg", Elementwise{}, {size}, {.kind = Activation::Kind::neg});
    const auto add_pool = [&] {
      const Pooling pool{Pooling::Kind::max, square(3), square(3), false};
      add_output(model, "pooled", add_layer(model, "pool", pool, {negative}));
    };
    if (pool_first) add_pool();
    const Convolution op{.y = square(3),
                         .x = square(3),
                         .groups = 1,
                         .weights = add_constant(model, random_values(16 * 16 * 9, 1)),
                         .bias = std::nullopt};
    add_output(model, "summed", add_layer(model, "convolution", op, {negative}));
    if (!pool_first) add_pool();
    const std::vector<Map> inputs = random_inputs(model, 3);
    ReferenceExecutor reference;
    NativeExecutor xnnpack;
    const std::vector<Map> expected = run_whole(reference, model, inputs);
    const std::vector<Map> computed = run_whole(xnnpack, model, inputs);
    for (size_t i = 0; i < expected.size(); ++i) {
      CHECK(relative_error(computed[i], expected[i]) < 1e-5);
    }
  }
}

TEST_CASE("A granule holds channels that are computed together, a whole vector of them") {
  const auto granule = [](Shape in, const ConvolutionLayer& layer) {
    const Model model = convolution_model(in, layer, 1);
    return NativeExecutor().granule(model, LayerId{0}).c;
  };
  CHECK(granule({8, 8, 8}, {square(3), square(3), 1, 64, {}}) == 16);
  CHECK(granule({8, 8, 8}, {square(3), square(3), 1, 10, {}}) == 10);
  CHECK(granule({8, 8, 8}, {square(3), square(3), 2, 48, {}}) == 24);
  CHECK(granule({8, 8, 8}, {square(3), square(3), 8, 64, {}}) == 16);
  CHECK(granule({8, 8, 48}, {square(3), square(3), 48, 48, {}}) == 16);
}

}  // namespace shingle::tests
