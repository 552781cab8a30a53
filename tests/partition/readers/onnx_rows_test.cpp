// Rows of features, as transformers have them: the features stay in the channels, so that norms,
// products and sums move no element and can be cut by pixels.
#include <doctest/doctest.h>

#include <algorithm>

#include "partition/readers/onnx.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using networks::OnnxGraph;
using Dims = std::vector<int64_t>;

namespace {

constexpr int64_t features = 8;

std::string zeros(OnnxGraph& graph, const Dims& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  return graph.floats(dims, std::vector<float>(static_cast<size_t>(count), 0.0F));
}

std::string norm(OnnxGraph& graph, const std::string& x) {
  return graph.node("LayerNormalization", {x, zeros(graph, {features}), zeros(graph, {features})});
}

std::string product(OnnxGraph& graph, const std::string& x) {
  return graph.node("MatMul", {x, zeros(graph, {features, features})});
}

std::string patches(OnnxGraph& graph) {
  graph.input("in", {1, 3, 8, 12}, ElementType::f32);
  return graph.node("Conv", {"in", zeros(graph, {features, 3, 2, 2})}, {{"strides", Dims{2, 2}}});
}

// The kinds of the layers of a graph whose value `last` is the output.
std::vector<std::string> kinds(OnnxGraph& graph, const std::string& last) {
  graph.node("Relu", {last}, {}, "out");
  graph.output("out", {});
  const std::string bytes = graph.file(17);
  const Result<Model> model = read_onnx(std::as_bytes(std::span(bytes)));
  REQUIRE_MESSAGE(model.ok(), model.error());
  std::vector<std::string> kinds;
  for (const Layer& layer : model->layers) {
    kinds.emplace_back(name_of(layer.op));
    const Reduction* reduction = std::get_if<Reduction>(&layer.op);
    if (reduction != nullptr) CHECK((reduction->c && !reduction->x && !reduction->y));
  }
  return kinds;
}

}  // namespace

TEST_CASE("Norms and products in the last dim of a permuted map move nothing") {
  OnnxGraph graph;
  const std::string map = patches(graph);
  const std::string rows = graph.node("Transpose", {map}, {{"perm", Dims{0, 2, 3, 1}}});
  const std::string mixed = product(graph, norm(graph, rows));
  const std::string back = graph.node("Transpose", {mixed}, {{"perm", Dims{0, 3, 1, 2}}});
  const std::vector<std::string> found = kinds(graph, graph.node("Add", {map, back}));
  CHECK(std::count(found.begin(), found.end(), "Rearrange") == 0);
}

TEST_CASE("Rows behind a class token lie as pixels, and only their joining moves them") {
  OnnxGraph graph;
  const std::string flat =
      graph.node("Reshape", {patches(graph), graph.integers({1, features, 24})});
  const std::string rows = graph.node("Transpose", {flat}, {{"perm", Dims{0, 2, 1}}});
  std::string x =
      graph.node("Concat", {zeros(graph, {1, 1, features}), rows}, {{"axis", int64_t{1}}});
  x = graph.node("Add", {x, zeros(graph, {1, 25, features})});
  for (int block = 0; block < 2; ++block)
    x = graph.node("Add", {x, product(graph, norm(graph, x))});
  const std::vector<std::string> found = kinds(graph, x);
  CHECK(std::count(found.begin(), found.end(), "Rearrange") <= 1);
}
