// Tests of reading a part of a joined value without a slice.
#include "tests/partition/readers/onnx_reading.hpp"

namespace shingle {

namespace {

using networks::OnnxGraph;
using Kinds = std::map<std::string, int>;

OnnxGraph two_maps() {
  OnnxGraph graph;
  graph.input("large", {1, 3, 4, 6}, ElementType::f32);
  graph.input("small", {1, 3, 2, 3}, ElementType::f32);
  return graph;
}

// One branch of a detector's head: two values of a map are joined along the channels and become
// rows of `count` places.
std::string branch(OnnxGraph& graph, const std::string& map, int64_t count) {
  const std::string joined = graph.node(
      "Concat", {graph.node("Relu", {map}), graph.node("Neg", {map})}, {{"axis", int64_t{1}}});
  return graph.node("Reshape", {joined, graph.integers({1, 6, count})});
}

std::string joined_rows(OnnxGraph& graph) {
  return graph.node("Concat", {branch(graph, "large", 24), branch(graph, "small", 6)},
                    {{"axis", int64_t{2}}});
}

Model split_after(OnnxGraph& graph, const std::string& joined, std::vector<int64_t> sizes) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < sizes.size(); ++i) parts.push_back("part" + std::to_string(i));
  graph.node_with_outputs("Split", {joined, graph.integers(sizes)}, {{"axis", int64_t{1}}}, parts);
  for (const std::string& part : parts) graph.output(part, {});
  Result<Model> model = read(graph.file());
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error()));
  return std::move(*model);
}

}  // namespace

TEST_CASE("Parts that were joined before are joins of what was joined, and no slices") {
  OnnxGraph graph = two_maps();
  const Model model = split_after(graph, joined_rows(graph), {3, 3});
  CHECK(kind_counts(model) == Kinds{{"Elementwise", 4}, {"Rearrange", 4}, {"Concat", 2}});
}

TEST_CASE("Parts that begin or end within what was joined are slices") {
  OnnxGraph graph = two_maps();
  const Model model = split_after(graph, joined_rows(graph), {2, 4});
  CHECK(kind_counts(model)["StridedSlice"] == 2);
}

TEST_CASE("A part that is an operand of a join is that operand, which no later layer changes") {
  OnnxGraph graph = two_maps();
  const std::string joined =
      graph.node("Concat", {"large", graph.node("Neg", {"large"})}, {{"axis", int64_t{1}}});
  graph.node_with_outputs("Split", {joined, graph.integers({3, 3})}, {{"axis", int64_t{1}}},
                          {"first", "second"});
  graph.output(graph.node("Relu", {"second"}), {});
  const Model model = must_read(graph, joined);
  CHECK(kind_counts(model) == Kinds{{"Elementwise", 2}, {"Concat", 1}});
}

TEST_CASE("Joins within joins are searched for a part with bounded effort") {
  OnnxGraph graph;
  graph.input("in", {1, 2, 3, 5}, ElementType::f32);
  std::string last =
      graph.node("Concat", {"in", graph.node("Relu", {"in"})}, {{"axis", int64_t{1}}});
  for (int level = 0; level < 10; ++level)
    last = graph.node("Concat", {last, last}, {{"axis", int64_t{2}}});
  const Model model = split_after(graph, last, {2, 2});
  CHECK(kind_counts(model)["StridedSlice"] == 2);
}

}  // namespace shingle
