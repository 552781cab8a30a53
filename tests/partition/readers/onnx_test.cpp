// The ONNX reader: the models that it makes of typical files of exporters.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "partition/model/demand.hpp"
#include "tests/networks/networks.hpp"
#include "tests/networks/onnx_graph.hpp"
#include "tests/partition/array.hpp"
#include "tests/partition/readers/onnx_reading.hpp"
#include "tests/partition/search/moves.hpp"

using namespace shingle;
using networks::OnnxGraph;
using Dims = std::vector<int64_t>;
using Kind = Activation::Kind;

namespace {

// A graph of one input "in", whose last value becomes the output.
struct Draft {
  OnnxGraph graph;
  std::string last = "in";

  explicit Draft(const Dims& input) { graph.input("in", input, ElementType::f32); }

  Draft& node(std::string_view op, std::vector<std::string> more_inputs = {},
              const networks::OnnxAttributes& attributes = {}) {
    more_inputs.insert(more_inputs.begin(), last);
    last = graph.node(op, more_inputs, attributes);
    return *this;
  }

  // A convolution whose weights and biases are all 1.
  Draft& conv(int64_t in, int64_t out, int64_t kernel,
              const networks::OnnxAttributes& attributes = {}) {
    const auto count = static_cast<size_t>(out * in * kernel * kernel);
    return node("Conv",
                {graph.floats({out, in, kernel, kernel}, std::vector<float>(count, 1.0F)),
                 graph.floats({out}, std::vector<float>(static_cast<size_t>(out), 1.0F))},
                attributes);
  }

  // The file's bytes go into `bytes`, which must outlive the model.
  Model model(std::string& bytes, int64_t opset = 13) {
    graph.node("Identity", {last}, {}, "out");
    graph.output("out", {});
    bytes = graph.file(opset);
    Result<Model> result = read(bytes);
    REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error()));
    CHECK(defects(*result).empty());
    return std::move(result).value();
  }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("An activation moves into the layer before it unless somebody else reads that") {
  std::string bytes;
  const Model fused = Draft({1, 2, 8, 8}).conv(2, 4, 1).node("Relu").model(bytes);
  CHECK(kinds(fused) == Names{"Convolution"});
  CHECK(fused.layers[0].activation.kind == Kind::relu);

  Draft draft({1, 2, 8, 8});
  draft.conv(2, 4, 1);
  const std::string before = draft.last;
  const Model shared = draft.node("Relu").node("Add", {before}).model(bytes);
  CHECK(kinds(shared) == Names{"Convolution", "Elementwise", "Binary"});
}

TEST_CASE("Gates written out as two or three nodes become one activation") {
  const auto gated = [](auto gate) {
    std::string bytes;
    Draft draft({1, 2, 8, 8});
    draft.conv(2, 4, 1);
    const std::string x = draft.last;
    gate(draft);
    const Model model = draft.node("Mul", {x}).model(bytes);
    REQUIRE(kinds(model) == Names{"Convolution"});
    return model.layers[0].activation.kind;
  };
  CHECK(gated([](Draft& draft) { draft.node("Sigmoid"); }) == Kind::silu);
  CHECK(gated([](Draft& draft) { draft.node("Softplus").node("Tanh"); }) == Kind::mish);
  CHECK(gated([](Draft& draft) {
          draft.node("HardSigmoid", {}, {{"alpha", 1.0F / 6.0F}, {"beta", 0.5F}});
        }) == Kind::hard_swish);
}

TEST_CASE("Clip reads its bounds from attributes in old files and from inputs in new ones") {
  std::string bytes;
  const Activation relu6{.kind = Kind::clip, .alpha = 0.0F, .beta = 6.0F};
  const Model old = Draft({1, 2, 8, 8})
                        .conv(2, 4, 1)
                        .node("Clip", {}, {{"min", 0.0F}, {"max", 6.0F}})
                        .model(bytes, 10);
  CHECK(old.layers[0].activation == relu6);
  Draft draft({1, 2, 8, 8});
  draft.conv(2, 4, 1);
  const Model now =
      draft.node("Clip", {draft.graph.scalar(0.0F), draft.graph.scalar(6.0F)}).model(bytes);
  CHECK(now.layers[0].activation == relu6);
  Draft open({1, 2, 8, 8});
  const Model above = open.conv(2, 4, 1).node("Clip", {open.graph.scalar(1.0F)}).model(bytes);
  CHECK(std::isinf(above.layers[0].activation.beta));
}

TEST_CASE("Batch normalisation is folded into the convolution before it") {
  std::string bytes;
  Draft draft({1, 2, 4, 4});
  draft.conv(2, 2, 1);
  const auto row = [&](float a, float b) { return draft.graph.floats({2}, {a, b}); };
  // scale, shift, mean, variance; epsilon 0: channel 0 becomes 2x + 3, channel 1 x/2 - 1.
  const Model model = draft
                          .node("BatchNormalization", {row(2, 1), row(3, -1), row(0, 0), row(1, 4)},
                                {{"epsilon", 0.0F}})
                          .node("Relu")
                          .model(bytes);
  REQUIRE(kinds(model) == Names{"Convolution"});
  const auto& op = std::get<Convolution>(model.layers[0].op);
  const FloatView weights = model.at(op.weights), bias = model.at(*op.bias);
  CHECK(weights[0] == 2.0F);
  CHECK(weights[2] == 0.5F);
  CHECK(bias[0] == 2.0F * 1.0F + 3.0F);
  CHECK(bias[1] == 0.5F * 1.0F - 1.0F);
  CHECK(model.constants.size() == 2);  // the old weights are gone
}

TEST_CASE("Batch normalisation without a convolution is a product and a sum by channel") {
  std::string bytes;
  Draft draft({1, 2, 2, 3});
  const auto row = [&](float a, float b) { return draft.graph.floats({2}, {a, b}); };
  const Model model = draft
                          .node("BatchNormalization", {row(2, 4), row(1, 5), row(0, 0), row(1, 1)},
                                {{"epsilon", 0.0F}})
                          .model(bytes);
  CHECK(kinds(model) == Names{"Binary", "Binary"});
  const std::vector<float> ones(12, 1.0F);
  CHECK(run_moves(model, ones) == std::vector<float>{3, 3, 3, 3, 3, 3, 9, 9, 9, 9, 9, 9});
}

TEST_CASE("A channel shuffle whose halves are taken is two strided slices of channels") {
  std::string bytes;
  Draft draft({1, 8, 4, 6});
  draft.conv(8, 8, 1)
      .node("Reshape", {draft.graph.integers({4, 2, 24})})
      .node("Transpose", {}, {{"perm", Dims{1, 0, 2}}})
      .node("Reshape", {draft.graph.integers({2, -1, 4, 4, 6})});
  const std::string shuffled = draft.last;
  // `index` as exporters write it: a number, not a list.
  const auto half = [&](int64_t index) {
    const std::string number = draft.graph.node("Squeeze", {draft.graph.integers({index})}, {}, {});
    return draft.graph.node("Gather", {shuffled, number}, {{"axis", int64_t{0}}});
  };
  const std::string a = half(0), b = half(1);
  draft.last = a;
  draft.conv(4, 4, 1);
  const Model model = draft.node("Concat", {b}, {{"axis", int64_t{1}}}).model(bytes);
  CHECK(kind_counts(model) ==
        std::map<std::string, int>{{"Convolution", 2}, {"StridedSlice", 2}, {"Concat", 1}});
  for (const Layer& layer : model.layers) CHECK(is_spatially_local(model, layer));
  const auto* slice = std::get_if<StridedSlice>(&model.layers[2].op);
  REQUIRE(slice != nullptr);
  CHECK(slice->begin[2] == 1);
  CHECK(slice->step[2] == 2);
}

TEST_CASE("A focus layer's two slices of one operand are one layer") {
  std::string bytes;
  Draft draft({1, 3, 8, 8});
  const auto sliced = [&](const std::string& x, int64_t begin, int64_t axis) {
    return draft.graph.node("Slice",
                            {x, draft.graph.integers({begin}), draft.graph.integers({INT64_MAX}),
                             draft.graph.integers({axis}), draft.graph.integers({2})});
  };
  const std::string a = sliced(sliced("in", 0, 2), 1, 3), b = sliced(sliced("in", 1, 2), 0, 3);
  draft.last = a;
  const Model model = draft.node("Concat", {b}, {{"axis", int64_t{1}}}).model(bytes);
  CHECK(kinds(model) == Names{"StridedSlice", "StridedSlice", "Concat"});
  CHECK(model.outputs[0].dims == Dims{1, 6, 4, 4});
}

TEST_CASE(
    "A YOLOv5 head is decoded anchor by anchor with constants and joins inside the channels") {
  // 2 anchors of 5 values on a 3x4 map; xy plus a grid, wh times anchors, the rest as it is.
  std::string bytes;
  Draft draft({1, 10, 3, 4});
  draft.node("Reshape", {draft.graph.integers({1, 2, 5, 3, 4})})
      .node("Transpose", {}, {{"perm", Dims{0, 1, 3, 4, 2}}});
  draft.graph.node_with_outputs("Split", {draft.last, draft.graph.integers({2, 2, 1})},
                                {{"axis", int64_t{4}}}, {"xy", "wh", "rest"});
  const Array grid = counting({1, 1, 3, 4, 2}), anchors = counting({1, 2, 1, 1, 2});
  const std::string xy =
      draft.graph.node("Add", {"xy", draft.graph.floats(grid.dims, grid.values)});
  const std::string wh =
      draft.graph.node("Mul", {draft.graph.floats(anchors.dims, anchors.values), "wh"});
  draft.last = xy;
  const Model model = draft.node("Concat", {wh, "rest"}, {{"axis", int64_t{4}}})
                          .node("Reshape", {draft.graph.integers({1, -1, 5})})
                          .model(bytes);
  CHECK(model.outputs[0].dims == Dims{1, 24, 5});

  const Array input = counting({1, 10, 3, 4});
  const Array moved = transposed(reshaped(input, {1, 2, 5, 3, 4}), {0, 1, 3, 4, 2});
  const Array expected = joined(
      {combined(taken(moved, 4, {0, 1}), grid, std::plus<>()),
       combined(anchors, taken(moved, 4, {2, 3}), std::multiplies<>()), taken(moved, 4, {4})},
      4);
  CHECK(run_moves(model, transposed(input, {0, 2, 3, 1}).values) == expected.values);
}

TEST_CASE("Sizes computed from Shape at export are known at load") {
  std::string bytes;
  Draft draft({1, 6, 4, 5});
  const std::string shape = draft.graph.node("Shape", {"in"});
  const auto size_of = [&](int64_t dim) {
    return draft.graph.node("Gather", {shape, draft.graph.integers({dim})});
  };
  const std::string half = draft.graph.node("Div", {size_of(1), draft.graph.integers({2})});
  const std::string target = draft.graph.node(
      "Concat", {size_of(0), draft.graph.integers({2}), half, size_of(2), size_of(3)},
      {{"axis", int64_t{0}}});
  const Model model = draft.node("Reshape", {target}).model(bytes);
  CHECK(model.outputs[0].dims == Dims{1, 2, 3, 4, 5});
}

TEST_CASE("A classifier's tail needs no move: pooled channels are already a row") {
  std::string bytes;
  Draft draft({1, 4, 6, 6});
  const Model model = draft.conv(4, 8, 3)
                          .node("GlobalAveragePool")
                          .node("Flatten")
                          .node("Gemm",
                                {draft.graph.floats({3, 8}, std::vector<float>(24, 1.0F)),
                                 draft.graph.floats({3}, {1, 2, 3})},
                                {{"transB", int64_t{1}}})
                          .model(bytes);
  CHECK(kinds(model) == Names{"Convolution", "Reduction", "Reduction", "Convolution"});
  CHECK(model.outputs[0].dims == Dims{1, 3});
  CHECK(model.owned.empty());
}

TEST_CASE("A flattened map is moved once, before its fully connected layer") {
  std::string bytes;
  Draft draft({1, 4, 2, 3});
  const Model model =
      draft.conv(4, 4, 1)
          .node("Flatten")
          .node("MatMul", {draft.graph.floats({24, 2}, std::vector<float>(48, 1.0F))})
          .model(bytes);
  CHECK(kinds(model) == Names{"Convolution", "Rearrange", "Convolution"});
  CHECK(model.at(model.layers[1].output).shape == Shape{1, 1, 24});
  CHECK(model.outputs[0].dims == Dims{1, 2});
}

TEST_CASE("Old and new opsets say the same in different places") {
  std::string bytes;
  SUBCASE("Slice, Squeeze and Pad by attributes") {
    Draft draft({1, 4, 6, 6});
    const Model model =
        draft.node("Slice", {}, {{"axes", Dims{2}}, {"starts", Dims{1}}, {"ends", Dims{-1}}})
            .node("Pad", {}, {{"pads", Dims{0, 0, 1, 0, 0, 0, 0, 2}}})
            .node("Squeeze", {}, {{"axes", Dims{0}}})
            .model(bytes, 9);
    CHECK(kinds(model) == Names{"StridedSlice", "Pad"});
    CHECK(model.outputs[0].dims == Dims{4, 5, 8});
  }
  SUBCASE("Upsample is a nearest Resize that rounds down") {
    Draft draft({1, 4, 6, 6});
    const Model model =
        draft.node("Upsample", {draft.graph.floats({4}, {1, 1, 2, 2})}).model(bytes, 9);
    const auto& op = std::get<Resize>(model.layers[0].op);
    CHECK(op.rounding == Resize::Rounding::floor);
    CHECK(op.coordinates == Resize::Coordinates::asymmetric);
    CHECK(model.outputs[0].dims == Dims{1, 4, 12, 12});
  }
  SUBCASE("Softmax took all dims from its axis on together before opset 13") {
    const Model row =
        Draft({1, 4, 6, 1}).node("Softmax", {}, {{"axis", int64_t{1}}}).model(bytes, 11);
    CHECK(kinds(row) == Names{"Rearrange", "Softmax"});
    const Model channel =
        Draft({1, 4, 6, 1}).node("Softmax", {}, {{"axis", int64_t{1}}}).model(bytes, 13);
    CHECK(kinds(channel) == Names{"Softmax"});
  }
  SUBCASE("Resize by sizes knows its scale") {
    Draft draft({1, 4, 6, 5});
    const Model model = draft
                            .node("Resize", {"", "", draft.graph.integers({1, 4, 9, 10})},
                                  {{"mode", std::string("linear")}})
                            .model(bytes);
    CHECK(std::get<Resize>(model.layers[0].op).scale_y == 1.5F);
    CHECK(model.outputs[0].dims == Dims{1, 4, 9, 10});
  }
}

TEST_CASE("Windows: automatic padding, ceil rounding, transposed sizes") {
  std::string bytes;
  SUBCASE("SAME_UPPER puts the odd pad behind") {
    const Model model =
        Draft({1, 2, 7, 8})
            .conv(2, 2, 4, {{"auto_pad", std::string("SAME_UPPER")}, {"strides", Dims{2, 2}}})
            .model(bytes);
    const auto& op = std::get<Convolution>(model.layers[0].op);
    CHECK(op.y == Window{4, 2, 1, 1, 2});  // 4 outputs span 10 of 7: 3 pads
    CHECK(op.x == Window{4, 2, 1, 1, 1});
    CHECK(model.outputs[0].dims == Dims{1, 2, 4, 4});
  }
  SUBCASE("A ceil-rounded last window that would begin in the padding is left out") {
    const auto pooled = [&](int64_t size, int64_t pad) {
      return Draft({1, 1, size, size})
          .node("MaxPool", {},
                {{"kernel_shape", Dims{2, 2}},
                 {"strides", Dims{2, 2}},
                 {"pads", Dims{pad, pad, pad, pad}},
                 {"ceil_mode", int64_t{1}}})
          .model(bytes)
          .outputs[0]
          .dims[2];
    };
    CHECK(pooled(5, 0) == 3);
    CHECK(pooled(6, 0) == 3);
    CHECK(pooled(4, 1) == 3);
    CHECK(pooled(5, 1) == 3);  // 4 by rounding, but the fourth would begin at 5 + 1
  }
  SUBCASE("ConvTranspose adds its output padding") {
    Draft draft({1, 2, 5, 5});
    const Model model =
        draft
            .node("ConvTranspose", {draft.graph.floats({2, 3, 3, 3}, std::vector<float>(54, 1.0F))},
                  {{"strides", Dims{2, 2}},
                   {"pads", Dims{1, 1, 1, 1}},
                   {"output_padding", Dims{1, 0}}})
            .model(bytes);
    CHECK(model.outputs[0].dims == Dims{1, 3, 10, 9});
  }
}

TEST_CASE("Every layout of a spatial product keeps its broadcast small") {
  std::string bytes;
  Draft draft({1, 3, 4, 5});
  const Model model = draft.node("Mul", {draft.graph.floats({3, 1, 1}, {1, 2, 3})}).model(bytes);
  CHECK(parameters(model) == 3);
  const Array input = counting({1, 3, 4, 5});
  CHECK(run_moves(model, transposed(input, {0, 2, 3, 1}).values) ==
        combined(input, Array{{1, 3, 1, 1}, {1, 2, 3}}, std::multiplies<>()).values);
}
