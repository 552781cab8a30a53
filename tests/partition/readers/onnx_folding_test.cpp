// What exports leave around convolutions and what becomes of it: arithmetic with constants is
// folded into them, transposes between them are none.
#include <doctest/doctest.h>

#include "tests/networks/onnx_graph.hpp"
#include "tests/partition/readers/onnx_reading.hpp"

using namespace shingle;
using networks::OnnxGraph;
using Dims = std::vector<int64_t>;
using Kinds = std::map<std::string, int>;

namespace {

// A convolution of 1x1 to two channels with weights 1 .. 8 and biases 1, 2, and what follows it.
struct Chain {
  OnnxGraph graph;
  std::string value;

  Chain() {
    graph.input("in", {1, 4, 6, 6}, ElementType::f32);
    const std::string weights = graph.floats({2, 4, 1, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
    value = graph.node("Conv", {"in", weights, graph.floats({2}, {1, 2})});
  }

  Chain& then(std::string_view op, const Dims& dims, const std::vector<float>& constant) {
    value = graph.node(op, {value, graph.floats(dims, constant)});
    return *this;
  }

  Model model() { return must_read(graph, value); }
};

}  // namespace

TEST_CASE("Sums and products with constants are folded into the convolution before them") {
  Chain chain;
  const Model model = chain.then("Mul", {2, 1, 1}, {2, 4})
                          .then("Add", {1, 2, 1, 1}, {3, 5})
                          .then("Sub", {}, {1})
                          .then("Div", {1}, {2})
                          .model();
  REQUIRE(kind_counts(model) == Kinds{{"Convolution", 1}});
  const auto& op = std::get<Convolution>(model.layers[0].op);
  CHECK(floats_of(model.at(op.weights)) == std::vector<float>{1, 2, 3, 4, 10, 12, 14, 16});
  REQUIRE(op.bias.has_value());
  CHECK(floats_of(model.at(*op.bias)) == std::vector<float>{2, 6});
}

TEST_CASE("A constant less the convolution turns its signs") {
  Chain chain;
  chain.value = chain.graph.node("Sub", {chain.graph.scalar(10), chain.value});
  const Model model = chain.model();
  REQUIRE(kind_counts(model) == Kinds{{"Convolution", 1}});
  const auto& op = std::get<Convolution>(model.layers[0].op);
  CHECK(floats_of(model.at(op.weights)) == std::vector<float>{-1, -2, -3, -4, -5, -6, -7, -8});
  CHECK(floats_of(model.at(*op.bias)) == std::vector<float>{9, 8});
}

TEST_CASE("A bias that is added by itself leaves the weights in the file") {
  Chain chain;
  const Model model = chain.then("Add", {2, 1, 1}, {3, 5}).model();
  REQUIRE(kind_counts(model) == Kinds{{"Convolution", 1}});
  CHECK(model.owned.size() == 1);
  OnnxGraph graph;
  graph.input("in", {1, 6, 4}, ElementType::f32);
  const std::string product =
      graph.node("MatMul", {"in", graph.floats({4, 3}, std::vector<float>(12, 0.5F))});
  graph.node("Add", {product, graph.floats({3}, {1, 2, 3})}, {}, "out");
  graph.output("out", {1, 6, 3});
  const Result<Model> linear = read(graph.file());
  REQUIRE(linear.ok());
  CHECK(kind_counts(*linear)["Convolution"] == 1);
  CHECK(kind_counts(*linear)["Binary"] == 0);
}

TEST_CASE("Arithmetic that is not the same for a whole channel, or that others would see, stays") {
  const auto binaries = [](Chain& chain) { return kind_counts(chain.model())["Binary"]; };
  Chain by_row, by_zero, after_relu, read_twice, power;
  CHECK(binaries(by_row.then("Add", {6, 1}, {1, 2, 3, 4, 5, 6})) == 1);
  CHECK(binaries(by_zero.then("Div", {}, {0})) == 1);
  CHECK(binaries(power.then("Pow", {}, {2})) == 1);
  after_relu.value = after_relu.graph.node("Relu", {after_relu.value});
  CHECK(binaries(after_relu.then("Add", {}, {1})) == 1);
  const std::string twice = read_twice.value;
  read_twice.then("Add", {}, {1});
  read_twice.value = read_twice.graph.node("Mul", {twice, read_twice.value});
  CHECK(binaries(read_twice) == 2);
}

TEST_CASE("A constant that would make weights infinite, or outgrow them, stays behind the layer") {
  constexpr float lowest = -3.4028235e38F;
  CHECK(kind_counts(Chain().then("Mul", {}, {lowest}).model()) ==
        Kinds{{"Binary", 1}, {"Convolution", 1}});
  CHECK(kind_counts(Chain().then("Add", {}, {12582912.0F}).model()) ==
        Kinds{{"Binary", 1}, {"Convolution", 1}});
  CHECK(kind_counts(Chain().then("Add", {}, {60000.0F}).model()) == Kinds{{"Convolution", 1}});
}

TEST_CASE("Transposes between convolutions of a channels-last export are no layers") {
  Chain chain;
  OnnxGraph& graph = chain.graph;
  const Dims to_last{0, 2, 3, 1}, to_first{0, 3, 1, 2};
  for (int round = 0; round < 3; ++round) {
    std::string value = graph.node("Transpose", {chain.value}, {{"perm", to_last}});
    value = graph.node("Relu", {graph.node("Add", {value, graph.floats({2}, {1, 2})})});
    value = graph.node("Transpose", {value}, {{"perm", to_first}});
    const std::string weights = graph.floats({2, 2, 3, 3}, std::vector<float>(36, 0.5F));
    chain.value = graph.node("Conv", {value, weights}, {{"pads", Dims{1, 1, 1, 1}}});
  }
  const Model model = chain.model();
  CHECK(kind_counts(model) == Kinds{{"Convolution", 4}});
}
