// RNN, GRU and LSTM: which layers they become, and which uses are refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "partition/readers/onnx.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using networks::OnnxAttributes;
using networks::OnnxGraph;
using Dims = std::vector<int64_t>;

namespace {

bool holds(const std::string& sentence, const std::string& part) {
  return sentence.find(part) != std::string::npos;
}

std::string zeros(OnnxGraph& graph, const Dims& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  return graph.floats(dims, std::vector<float>(static_cast<size_t>(count), 0.0F));
}

Result<Model> read(OnnxGraph& graph, int64_t opset = 14) {
  const std::string file = graph.file(opset);
  return read_onnx(std::as_bytes(std::span(file)));
}

int64_t layers_of(const Model& model, std::string_view kind) {
  return std::ranges::count_if(model.layers,
                               [&](const Layer& layer) { return name_of(layer.op) == kind; });
}

// An LSTM of 4 units on "in" of 5x2x3; each operand may have other dims.
struct Lstm {
  Dims x{5, 2, 3}, w{1, 16, 3}, r{1, 16, 4}, b{1, 32}, h{1, 2, 4}, c{1, 2, 4}, p{1, 12};
  std::vector<int64_t> lengths{5, 3};
  OnnxAttributes attributes{{"hidden_size", int64_t{4}}};

  std::string answer(std::string_view op = "LSTM") const {
    OnnxGraph graph;
    graph.input("in", x, ElementType::f32);
    std::vector<std::string> inputs{"in", zeros(graph, w), zeros(graph, r), zeros(graph, b),
                                    graph.integers(lengths)};
    for (const Dims& dims : {h, c, p}) inputs.push_back(zeros(graph, dims));
    graph.node(op, inputs, attributes, "out");
    graph.output("out", {});
    const Result<Model> model = read(graph);
    return model.ok() ? "it was read" : model.error();
  }
};

}  // namespace

TEST_CASE("A bidirectional layer behind convolutions is two of each, and nothing is rearranged") {
  OnnxGraph graph;
  graph.input("in", {1, 6, 1, 10}, ElementType::f32);
  std::string value = graph.node("Squeeze", {"in", graph.integers({2})});
  value = graph.node("Transpose", {value}, {{"perm", Dims{2, 0, 1}}});
  value = graph.node(
      "LSTM", {value, zeros(graph, {2, 16, 6}), zeros(graph, {2, 16, 4}), zeros(graph, {2, 32})},
      {{"hidden_size", int64_t{4}}, {"direction", std::string("bidirectional")}});
  value = graph.node("Transpose", {value}, {{"perm", Dims{0, 2, 1, 3}}});
  graph.node("Reshape", {value, graph.integers({10, 1, 8})}, {}, "out");
  graph.output("out", {});
  const Result<Model> model = read(graph);
  REQUIRE_MESSAGE(model.ok(), model.error());
  CHECK(layers_of(*model, "Convolution") == 2);
  CHECK(layers_of(*model, "Recurrence") == 2);
  CHECK(layers_of(*model, "Rearrange") == 0);
  const auto recurrence = std::ranges::find_if(model->layers, [](const Layer& layer) {
    return name_of(layer.op) == std::string("Recurrence");
  });
  const Shape shape = model->at(recurrence->output).shape;
  CHECK(shape == Shape{1, 10, 8});  // sequences, steps, states and cells
}

TEST_CASE("Last states are slices of the steps") {
  for (const char* wanted : {"last", "cell"}) {
    OnnxGraph graph;
    graph.input("in", {7, 2, 3}, ElementType::f32);
    graph.node_with_outputs("LSTM", {"in", zeros(graph, {1, 16, 3}), zeros(graph, {1, 16, 4})},
                            {{"hidden_size", int64_t{4}}}, {"", "last", "cell"});
    graph.node("Identity", {wanted}, {}, "out");
    graph.output("out", {});
    const Result<Model> model = read(graph);
    REQUIRE_MESSAGE(model.ok(), model.error());
    CHECK(layers_of(*model, "StridedSlice") == 1);
    CHECK(model->outputs[0].dims == Dims{1, 2, 4});
  }
}

TEST_CASE("An activation behind a layer of which two outputs are read stays its own layer") {
  OnnxGraph graph;
  graph.input("in", {7, 1, 3}, ElementType::f32);
  graph.node_with_outputs("GRU", {"in", zeros(graph, {1, 12, 3}), zeros(graph, {1, 12, 4})}, {},
                          {"all", "last"});
  graph.node("Relu", {"all"}, {}, "out");
  graph.node("Identity", {"last"}, {}, "last out");
  graph.output("out", {});
  graph.output("last out", {});
  const Result<Model> model = read(graph);
  REQUIRE_MESSAGE(model.ok(), model.error());
  CHECK(layers_of(*model, "Elementwise") == 1);
}

TEST_CASE("Operands of a recurrent node that do not fit are refused with both sizes") {
  CHECK(Lstm().answer() == "it was read");
  CHECK(holds(Lstm{.x = {5, 6}}.answer(), "(LSTM): its input 5x6 and its weights R 1x16x4"));
  CHECK(holds(Lstm{.w = {1, 16, 4}}.answer(), "its W is 1x16x4 where 1x16x3 is expected"));
  CHECK(holds(Lstm{.w = {2, 16, 3}}.answer(), "its W is 2x16x3 where 1x16x3 is expected"));
  CHECK(holds(Lstm{.r = {1, 12, 4}}.answer(), "its R is 1x12x4 where 1x16x4 is expected"));
  CHECK(holds(Lstm{.r = {1, 16, 0}}.answer(), "its hidden size 4 does not fit its weights R"));
  CHECK(holds(Lstm{.b = {1, 16}}.answer(), "its B is 1x16 where 1x32 is expected"));
  CHECK(holds(Lstm{.h = {1, 1, 4}}.answer(), "its first state 1x1x4 is not 1x2x4"));
  CHECK(holds(Lstm{.c = {2, 1, 4}}.answer(), "its first state 2x1x4 is not 1x2x4"));
  CHECK(holds(Lstm{.p = {1, 16}}.answer(), "its P is 1x16 where 1x12 is expected"));
  CHECK(holds(Lstm{.lengths = {5}}.answer(), "its sequence_lens are not 2 integers"));
  CHECK(holds(Lstm{.lengths = {5, 6}}.answer(), "one of its sequence_lens is 6"));
  CHECK(holds(Lstm{.lengths = {5, -1}}.answer(), "one of its sequence_lens is -1"));
  CHECK(holds(Lstm().answer("GRU"), "(GRU): its W is 1x16x3 where 1x12x3 is expected"));
}

TEST_CASE("Attributes of a recurrent node that ONNX does not have are refused") {
  const auto with = [](const char* name, const networks::OnnxValue& value) {
    Lstm lstm;
    lstm.attributes = {{name, value}};
    return lstm.answer();
  };
  using Names = std::vector<std::string>;
  CHECK(holds(with("hidden_size", int64_t{5}), "its hidden size 5 does not fit its weights R"));
  CHECK(holds(with("direction", std::string("up")), "its direction is 'up'"));
  CHECK(holds(with("layout", int64_t{2}), "its layout is 2"));
  CHECK(holds(with("clip", -1.0F), "its clip is not above 0"));
  CHECK(holds(with("clip", std::numeric_limits<float>::quiet_NaN()), "its clip is not above 0"));
  CHECK(with("clip", std::numeric_limits<float>::infinity()) == "it was read");
  CHECK(holds(with("activations", Names{"Tanh"}), "it has 1 activations where 3 are needed"));
  CHECK(holds(with("activations", Names{"Tanh", "Affine", "Tanh"}),
              "its activation is 'Affine', and shingle has Relu, Tanh, Sigmoid"));
  CHECK(holds(with("activations", Names(3, std::string(5000, 'x'))), "its activation is 'xxx"));
}

TEST_CASE("Weights and lengths that depend on the input are refused by name") {
  for (const size_t operand : {1, 2, 3, 4}) {
    OnnxGraph graph;
    graph.input("in", {5, 1, 3}, ElementType::f32);
    std::vector<std::string> inputs{"in", zeros(graph, {1, 12, 3}), zeros(graph, {1, 12, 4}),
                                    zeros(graph, {1, 24}), graph.integers({4})};
    const std::string size = operand == 4 ? "in" : inputs[operand];
    inputs[operand] = graph.node("Add", {size, graph.node("ReduceMax", {"in"})}, {}, "from input");
    graph.node("GRU", inputs, {}, "out");
    graph.output("out", {});
    const Result<Model> model = read(graph);
    REQUIRE(!model.ok());
    CHECK(holds(model.error(), "(GRU): its input 'from input' depends on the model's input"));
  }
}

TEST_CASE("A recurrent node on a constant is refused") {
  OnnxGraph graph;
  graph.input("in", {1, 2, 4}, ElementType::f32);
  const std::string x = zeros(graph, {5, 2, 3});
  graph.node("GRU", {x, zeros(graph, {1, 12, 3}), zeros(graph, {1, 12, 4}), "", "", "in"}, {},
             "out");
  graph.output("out", {});
  const Result<Model> model = read(graph);
  REQUIRE(!model.ok());
  CHECK(holds(model.error(), "is a constant, where shingle needs one that depends on"));
}
