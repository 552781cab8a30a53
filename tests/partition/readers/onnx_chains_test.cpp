// Chains of arithmetic with constants: a product and a sum at most, and none where the convolution
// behind them takes them.
#include <doctest/doctest.h>

#include "tests/networks/onnx_graph.hpp"
#include "tests/partition/readers/onnx_reading.hpp"

using namespace shingle;
using networks::OnnxGraph;
using Dims = std::vector<int64_t>;
using Names = std::vector<std::string>;

namespace {

// A chain on the input of 3 channels.
struct Chain {
  OnnxGraph graph;
  std::string value = "in";

  explicit Chain(int64_t side = 6) { graph.input("in", {1, 3, side, side}, ElementType::f32); }

  Chain& then(const char* op, const std::vector<float>& by_channel) {
    const Dims dims = by_channel.size() == 1 ? Dims{} : Dims{3, 1, 1};
    value = graph.node(op, {value, graph.floats(dims, by_channel)});
    return *this;
  }

  Chain& conv(int64_t kernel, int64_t padding, int64_t outputs = 2, int64_t groups = 1) {
    const Dims dims{outputs, 3 / groups, kernel, kernel};
    const auto count = static_cast<size_t>(outputs * dims[1] * kernel * kernel);
    value = graph.node("Conv", {value, graph.floats(dims, std::vector<float>(count, 1.0F))},
                       {{"pads", Dims(4, padding)}, {"group", groups}});
    return *this;
  }

  Model model() { return must_read(graph, value); }
};

std::vector<float> constant_of(const Model& model, size_t layer) {
  return floats_of(model.at(*model.at(model.layers[layer].inputs[1]).constant));
}

}  // namespace

TEST_CASE("Of a chain of scales and shifts one product and one sum are left") {
  const Model model = Chain()
                          .then("Div", {4})
                          .then("Sub", {1, 2, 3})
                          .then("Mul", {2, 4, 8})
                          .then("Add", {5})
                          .then("Mul", {0.5F})
                          .model();
  REQUIRE(kinds(model) == Names{"Binary", "Binary"});
  CHECK(constant_of(model, 0) == std::vector<float>{0.25F, 0.5F, 1.0F});
  CHECK(constant_of(model, 1) == std::vector<float>{1.5F, -1.5F, -9.5F});
}

TEST_CASE("A chain of one step, or of a product and a sum, keeps its arithmetic") {
  CHECK(kinds(Chain().then("Div", {3}).model()) == Names{"Binary"});
  const Model model = Chain().then("Div", {3}).then("Add", {2}).model();
  REQUIRE(kinds(model) == Names{"Binary", "Binary"});
  CHECK(std::get<Binary>(model.layers[0].op).kind == Binary::Kind::div);
}

TEST_CASE("A convolution without padding takes the whole chain before it") {
  const Model model = Chain().then("Sub", {1, 2, 3}).then("Mul", {2, 4, 8}).conv(1, 0).model();
  REQUIRE(kinds(model) == Names{"Convolution"});
  const auto& op = std::get<Convolution>(model.layers[0].op);
  CHECK(floats_of(model.at(op.weights)) == std::vector<float>{2, 4, 8, 2, 4, 8});
  REQUIRE(op.bias.has_value());
  CHECK(floats_of(model.at(*op.bias)) == std::vector<float>{-34, -34});
  const Model depthwise = Chain().then("Mul", {2, 4, 8}).then("Add", {1}).conv(2, 0, 3, 3).model();
  REQUIRE(kinds(depthwise) == Names{"Convolution"});
  const auto& each = std::get<Convolution>(depthwise.layers[0].op);
  CHECK(floats_of(depthwise.at(each.weights)) ==
        std::vector<float>{2, 2, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8});
  CHECK(floats_of(depthwise.at(*each.bias)) == std::vector<float>{4, 4, 4});
}

TEST_CASE("Before a padded convolution a shift stays, because padding is 0 behind it") {
  CHECK(kinds(Chain().then("Mul", {2, 4, 8}).conv(3, 1).model()) == Names{"Convolution"});
  CHECK(kinds(Chain().then("Add", {1}).conv(3, 1).model()) == Names{"Binary", "Convolution"});
  const Model model = Chain().then("Div", {8}).then("Sub", {1, 2, 3}).conv(3, 1).model();
  REQUIRE(kinds(model) == Names{"Binary", "Convolution"});
  CHECK(constant_of(model, 0) == std::vector<float>{-8, -16, -24});
}

TEST_CASE(
    "A scale that would copy more weights than the map has elements stays, a shift does not") {
  const Model model = Chain(2).then("Mul", {2, 4, 8}).then("Add", {1}).conv(1, 0, 50).model();
  REQUIRE(kinds(model) == Names{"Binary", "Convolution"});
  CHECK(std::get<Binary>(model.layers[0].op).kind == Binary::Kind::mul);
}

TEST_CASE("A chain that others read, or that an activation or a large number ends, stays") {
  Chain shared;
  shared.then("Mul", {2, 4, 8});
  const std::string scaled = shared.value;
  shared.conv(1, 0, 3);
  shared.value = shared.graph.node("Add", {shared.value, scaled});
  CHECK(kinds(shared.model()) == Names{"Binary", "Convolution", "Binary"});
  Chain active;
  active.then("Mul", {2, 4, 8});
  active.value = active.graph.node("Relu", {active.value});
  CHECK(kinds(active.conv(1, 0).model()) == Names{"Binary", "Convolution"});
  CHECK(kinds(Chain().then("Add", {12582912.0F}).then("Sub", {12582912.0F}).model()) ==
        Names{"Binary", "Binary"});
}
