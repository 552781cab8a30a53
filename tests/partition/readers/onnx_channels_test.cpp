// Which dim an operator uses as the channels if a value is not the usual 1xCxHxW.
#include <doctest/doctest.h>

#include "partition/readers/onnx.hpp"
#include "tests/networks/onnx_graph.hpp"
#include "tests/partition/array.hpp"
#include "tests/partition/search/moves.hpp"

using namespace shingle;
using networks::OnnxGraph;
using Dims = std::vector<int64_t>;

namespace {

// The graph's value `last` as the output of a file, read back.
struct Reading {
  std::string bytes;
  Result<Model> result = Error{"nothing was read"};

  Reading(OnnxGraph& graph, const std::string& last, int64_t opset = 13) {
    graph.node("Identity", {last}, {}, "out");
    graph.output("out", {});
    bytes = graph.file(opset);
    result = read_onnx(std::as_bytes(std::span(bytes)));
  }

  std::string refusal() const { return result.ok() ? "it was read" : result.error(); }
  const Dims& dims() const { return result->outputs[0].dims; }
  std::vector<std::string> kinds() const {
    std::vector<std::string> list;
    for (const Layer& layer : result->layers) list.emplace_back(name_of(layer.op));
    return list;
  }
};

std::string constant(OnnxGraph& graph, const Dims& dims, float value = 1.0F) {
  size_t count = 1;
  for (const int64_t dim : dims) count *= static_cast<size_t>(dim);
  return graph.floats(dims, std::vector<float>(count, value));
}

std::string normalised(OnnxGraph& graph, const std::string& value, int64_t channels) {
  const std::string row = constant(graph, {channels});
  return graph.node("BatchNormalization", {value, row, row, row, row});
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("A normalisation of columns is not folded into a product that puts out rows") {
  OnnxGraph graph;
  graph.input("in", {2, 8}, ElementType::f32);
  const std::string rows = graph.node("MatMul", {constant(graph, {2, 2}), "in"});
  const Reading reading(graph, normalised(graph, rows, 8));
  REQUIRE_MESSAGE(reading.result.ok(), reading.refusal());
  CHECK(reading.kinds() == Names{"Convolution", "Binary", "Binary"});
}

TEST_CASE("A normalisation of a fully connected layer's features is folded into it") {
  OnnxGraph graph;
  graph.input("in", {1, 8}, ElementType::f32);
  const std::string features = graph.node("MatMul", {"in", constant(graph, {8, 5})});
  const Reading reading(graph, normalised(graph, features, 5));
  REQUIRE_MESSAGE(reading.result.ok(), reading.refusal());
  CHECK(reading.kinds() == Names{"Convolution"});
}

TEST_CASE("A matrix that stands in dims of size 1 gives its product these dims") {
  OnnxGraph graph;
  graph.input("in", {1, 8}, ElementType::f32);
  const Reading reading(graph, graph.node("MatMul", {"in", constant(graph, {1, 8, 5})}));
  REQUIRE_MESSAGE(reading.result.ok(), reading.refusal());
  CHECK(reading.dims() == Dims{1, 1, 5});
}

TEST_CASE("Old files give a slope for each channel without the dims behind it") {
  OnnxGraph graph;
  graph.input("in", {1, 4, 7, 9}, ElementType::f32);
  const std::string slopes = graph.floats({4}, {1, 2, 3, 4});
  const Reading reading(graph, graph.node("PRelu", {"in", slopes}), 6);
  REQUIRE_MESSAGE(reading.result.ok(), reading.refusal());
  CHECK(reading.kinds() == Names{"Binary"});
}

TEST_CASE("An operand is stretched along some of the dims that are channels") {
  const Array value = counting({2, 3, 4, 5});
  for (const Dims& axes : std::vector<Dims>{{0}, {1}, {0, 2}, {1, 3}, {2, 3}, {0, 1}}) {
    CAPTURE(axes);
    OnnxGraph graph;
    graph.input("in", value.dims, ElementType::f32);
    Array first = value;
    for (const int64_t axis : axes) first = taken(first, static_cast<size_t>(axis), {0});
    const Dims none(axes.size(), 0), one(axes.size(), 1);
    const std::string part = graph.node(
        "Slice", {"in", graph.integers(none), graph.integers(one), graph.integers(axes)});
    const Reading reading(graph, graph.node("Mul", {part, "in"}));
    REQUIRE_MESSAGE(reading.result.ok(), reading.refusal());
    CHECK(run_moves(*reading.result, transposed(reshaped(value, {6, 4, 5}), {1, 2, 0}).values) ==
          combined(first, value, std::multiplies<>()).values);
  }
}

TEST_CASE("A dropout in training mode is refused, one in inference mode adds no layer") {
  const auto refusal = [](float ratio, int64_t training) {
    OnnxGraph graph;
    graph.input("in", {1, 2, 3, 4}, ElementType::f32);
    const std::string mode = graph.integers({training});
    return Reading(graph, graph.node("Dropout", {"in", graph.scalar(ratio), mode})).refusal();
  };
  CHECK(refusal(0.5F, 0) == "it was read");
  CHECK(refusal(0.0F, 1) == "it was read");
  CHECK(refusal(0.5F, 1).find("drops elements at random") != std::string::npos);
}

TEST_CASE("A scale that no binary fraction meets gives the size that runtimes give") {
  OnnxGraph graph;
  graph.input("in", {1, 2, 10, 20}, ElementType::f32);
  const Reading reading(
      graph, graph.node("Resize", {"in", "", graph.floats({4}, {1.0F, 1.0F, 0.7F, 0.3F})}));
  REQUIRE_MESSAGE(reading.result.ok(), reading.refusal());
  CHECK(reading.dims() == Dims{1, 2, 7, 6});
}

TEST_CASE("A transposed convolution's numbers out of range are refused before they are summed") {
  const auto refusal = [](const networks::OnnxAttributes& attributes) {
    OnnxGraph graph;
    graph.input("in", {1, 4, 6, 6}, ElementType::f32);
    const std::string weights = constant(graph, {4, 2, 3, 3});
    return Reading(graph, graph.node("ConvTranspose", {"in", weights}, attributes)).refusal();
  };
  CHECK(refusal({{"output_padding", Dims{1, 1}}, {"strides", Dims{2, 2}}}) == "it was read");
  for (const int64_t bad : {INT64_MIN, int64_t{-1}, INT64_MAX}) {
    for (const char* name : {"output_padding", "output_shape"}) {
      const std::string sentence = refusal({{name, Dims{bad, 6}}});
      CHECK(sentence.find("its padding or output is negative or too large") != std::string::npos);
    }
  }
}
