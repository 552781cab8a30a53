// Parts of joined values have the values of a plain split, with a slice or without one.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

// [1, 6, 30]: of the map and of its halved one 3 channels above 0 and 3 negated ones, as rows.
std::string joined_rows(OnnxGraph& graph) {
  const auto branch = [&](const std::string& map, int64_t count) {
    const std::string joined = graph.node(
        "Concat", {graph.node("Relu", {map}), graph.node("Neg", {map})}, {{"axis", int64_t{1}}});
    return graph.node("Reshape", {joined, graph.integers({1, 6, count})});
  };
  const std::string halved =
      graph.node("MaxPool", {"in"}, {{"kernel_shape", Dims{2, 2}}, {"strides", Dims{2, 2}}});
  return graph.node("Concat", {branch("in", 24), branch(halved, 6)}, {{"axis", int64_t{2}}});
}

double joined_value(const Array& input, int64_t channel, int64_t place) {
  const auto at = [&](int64_t y, int64_t x) { return input.at({0, channel % 3, y, x}); };
  double value = 0.0;
  if (place < 24) {
    value = at(place / 6, place % 6);
  } else {
    const int64_t y = (place - 24) / 3 * 2, x = (place - 24) % 3 * 2;
    value = std::max({at(y, x), at(y, x + 1), at(y + 1, x), at(y + 1, x + 1)});
  }
  return channel < 3 ? std::max(value, 0.0) : -value;
}

}  // namespace

TEST_CASE("Parts of joined rows have the values of a plain split") {
  const Array input = random_array({1, 3, 4, 6}, 5);
  for (const Dims& sizes : {Dims{3, 3}, Dims{2, 4}, Dims{5, 1}}) {
    int64_t first = 0;
    for (size_t part = 0; part < sizes.size(); first += sizes[part++]) {
      CAPTURE(sizes[0]);
      CAPTURE(part);
      OnnxGraph graph;
      graph.node_with_outputs("Split", {joined_rows(graph), graph.integers(sizes)},
                              {{"axis", int64_t{1}}}, {"part0", "part1"});
      const Array computed = run_onnx(graph, "part" + std::to_string(part), input);
      check_everywhere(computed, {1, sizes[part], 30},
                       [&](const Dims& at) { return joined_value(input, first + at[1], at[2]); });
    }
  }
}

TEST_CASE("A part of a join that is a constant is a layer of the frame") {
  const Array input = random_array({1, 2, 3, 4}, 6);
  OnnxGraph graph;
  const std::string joined =
      graph.node("Concat", {graph.floats({1, 2, 3, 4}, std::vector<float>(24, 1.5F)), "in"},
                 {{"axis", int64_t{1}}});
  graph.node_with_outputs("Split", {joined, graph.integers({2, 2})}, {{"axis", int64_t{1}}},
                          {"known", "frame"});
  const Array computed = run_onnx(graph, graph.node("Neg", {"known"}), input);
  check_everywhere(computed, {1, 2, 3, 4}, [](const Dims&) { return -1.5; });
}

}  // namespace shingle::tests
