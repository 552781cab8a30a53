// Gather, GatherElements and GatherND with indices that depend on the input, held against ONNX's
// definition. One flat input holds the map and the indices.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/devices/native/indexed_graphs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

}  // namespace

TEST_CASE("Gather reads a map at indices that depend on the input, of any shape, along any axis") {
  struct Case {
    Dims map;
    int64_t axis;
    Dims indices;
  };
  const Case cases[] = {{{1, 5, 6, 7}, 1, {4}},       {{1, 5, 6, 7}, 2, {3}},
                        {{1, 5, 6, 7}, 3, {2, 3}},    {{1, 5, 6, 7}, 1, {}},
                        {{1, 40, 6}, 1, {1, 9}},      {{1, 6, 40}, 2, {9}},
                        {{7, 3}, 0, {2, 2, 2}},       {{11}, 0, {5}},
                        {{2, 3, 4, 2, 3}, 2, {3, 2}}, {{3, 1, 5}, 1, {4}}};
  for (const Case& each : cases) {
    CAPTURE(each.axis);
    OnnxGraph graph;
    Indexed graph_of(graph, {.map = each.map,
                             .indices = each.indices,
                             .size = each.map[static_cast<size_t>(each.axis)]});
    const std::string last =
        graph.node("Gather", {graph_of.map, graph_of.indices}, {{"axis", each.axis}});
    Dims out(each.map.begin(), each.map.begin() + each.axis);
    out.insert(out.end(), each.indices.begin(), each.indices.end());
    out.insert(out.end(), each.map.begin() + each.axis + 1, each.map.end());
    check_everywhere(
        graph_of.run(last), out,
        [&](const Dims& at) {
          const auto rank = std::ssize(each.indices);
          const Dims tuple(at.begin() + each.axis, at.begin() + each.axis + rank);
          Dims place(at.begin(), at.begin() + each.axis);
          place.push_back(graph_of.index(tuple));
          place.insert(place.end(), at.begin() + each.axis + rank, at.end());
          return graph_of.element(place);
        },
        0.0);
  }
}

TEST_CASE("GatherElements has an index for each element, and may have fewer than the map") {
  struct Case {
    Dims map;
    int64_t axis;
    Dims indices;
  };
  const Case cases[] = {{{1, 5, 6, 7}, 1, {1, 4, 6, 7}},
                        {{1, 5, 6, 7}, 2, {1, 5, 9, 7}},
                        {{1, 5, 6, 7}, 3, {1, 3, 2, 2}},
                        {{1, 40, 6}, 1, {1, 9, 6}},
                        {{1, 40, 6}, 1, {1, 9, 1}},
                        {{4, 5}, 0, {2, 5}},
                        {{9}, 0, {4}},
                        {{2, 3, 4, 2, 3}, 2, {2, 3, 5, 2, 3}},
                        {{2, 1, 4}, 1, {2, 3, 4}}};
  for (const Case& each : cases) {
    CAPTURE(each.axis);
    OnnxGraph graph;
    const auto axis = static_cast<size_t>(each.axis);
    Indexed graph_of(graph, {.map = each.map, .indices = each.indices, .size = each.map[axis]});
    const std::string last =
        graph.node("GatherElements", {graph_of.map, graph_of.indices}, {{"axis", each.axis}});
    check_everywhere(
        graph_of.run(last), each.indices,
        [&](const Dims& at) {
          Dims place = at;
          place[axis] = graph_of.index(at);
          return graph_of.element(place);
        },
        0.0);
  }
}

TEST_CASE("GatherND reads at tuples of indices, in each frame of a batch by itself") {
  struct Case {
    Dims map;
    Dims indices;
    int64_t batch = 0;
  };
  const Case cases[] = {{{5, 6, 7}, {4, 2}},
                        {{5, 6, 7}, {4, 3}},
                        {{5, 6, 7}, {2, 2, 1}},
                        {{2, 6, 7}, {2, 5, 1}, 1},
                        {{2, 6, 7}, {2, 3, 2}, 1},
                        {{1, 12, 4}, {1, 9, 2}},
                        {{2, 3, 5, 4}, {2, 3, 4, 1}, 2},
                        {{7}, {1}}};
  for (const Case& each : cases) {
    OnnxGraph graph;
    const int64_t length = each.indices.back();
    // All sizes alike or not: indices are drawn for each place of the tuple.
    Indexed graph_of(graph,
                     {.map = each.map, .indices = each.indices, .size = 0, .first = each.batch});
    const std::string last =
        graph.node("GatherND", {graph_of.map, graph_of.indices}, {{"batch_dims", each.batch}});
    Dims out(each.indices.begin(), each.indices.end() - 1);
    out.insert(out.end(), each.map.begin() + each.batch + length, each.map.end());
    check_everywhere(
        graph_of.run(last), out,
        [&](const Dims& at) {
          const auto leading = std::ssize(each.indices) - 1;
          Dims place(at.begin(), at.begin() + each.batch);
          for (int64_t i = 0; i < length; ++i) {
            Dims tuple(at.begin(), at.begin() + leading);
            tuple.push_back(i);
            place.push_back(graph_of.index(tuple));
          }
          place.insert(place.end(), at.begin() + leading, at.end());
          return graph_of.element(place);
        },
        0.0);
  }
}

TEST_CASE("An index off the map reads 0, and so does one that is no number") {
  const Array map = random_array({1, 4, 3}, 5);
  Array both{{}, map.values};
  const float nan = std::nanf("");
  for (const float index : {4.0F, -5.0F, nan, 1e30F, -1e30F, INFINITY, 3.0F, -4.0F})
    both.values.push_back(index);
  both.dims = {std::ssize(both.values)};
  OnnxGraph graph;
  const std::string values = part_of_input(graph, map.dims, 0);
  const std::string indices = part_of_input(graph, {8}, 12);
  const Array found =
      run_onnx(graph, graph.node("Gather", {values, indices}, {{"axis", int64_t{1}}}), both);
  check_everywhere(
      found, {1, 8, 3},
      [&](const Dims& at) {
        if (at[1] < 6) return 0.0;
        return map.at({0, at[1] == 6 ? 3 : 0, at[2]});
      },
      0.0);
}

TEST_CASE("A constant table is read at indices that depend on the input") {
  const Array table = random_array({6, 4}, 6);
  const Array input{{1, 3}, {5.0F, 0.0F, -2.0F}};
  OnnxGraph graph;
  const std::string last = graph.node("Gather", {graph.floats(table.dims, table.values), "in"});
  check_everywhere(
      run_onnx(graph, last, input), {1, 3, 4},
      [&](const Dims& at) {
        const auto index = static_cast<int64_t>(input.at({0, at[1]}));
        return table.at({index < 0 ? index + 6 : index, at[2]});
      },
      0.0);
}

TEST_CASE("GatherElements and GatherND of constants are known when the file is read") {
  const Array table = random_array({3, 4}, 7), input = random_array({1, 3, 2}, 8);
  const Dims elements{0, -1, 3, 2, 1, 1}, tuples{0, 1, -1, -2, 2, 0, 1, 1, 0, 0, 1, 3};
  OnnxGraph graph;
  const std::string map = graph.floats(table.dims, table.values);
  const std::string at = graph.node("Reshape", {graph.integers(elements), graph.integers({3, 2})});
  const std::string of = graph.node("Reshape", {graph.integers(tuples), graph.integers({3, 2, 2})});
  const std::string first = graph.node("GatherElements", {map, at}, {{"axis", int64_t{1}}});
  const std::string second = graph.node("GatherND", {map, of});
  const std::string last = graph.node(
      "Add", {graph.node("Add", {"in", first}), graph.node("Mul", {second, graph.scalar(3.0F)})});
  check_everywhere(run_onnx(graph, last, input), input.dims, [&](const Dims& place) {
    const auto wrapped = [](int64_t index, int64_t size) {
      return index < 0 ? index + size : index;
    };
    const auto i = static_cast<size_t>(place[1] * 2 + place[2]);
    return input.at(place) + table.at({place[1], wrapped(elements[i], 4)}) +
           3.0 * table.at({wrapped(tuples[2 * i], 3), wrapped(tuples[2 * i + 1], 4)});
  });
}

TEST_CASE("The best anchors are taken as exported detectors take them") {
  // Scores of 40 anchors and 3 classes; the best 6 anchors, then the best 5 of their scores.
  const Array input = random_array({1, 7, 40}, 9);  // 4 numbers of a box, 3 scores
  OnnxGraph graph;
  const std::string rows = graph.node("Transpose", {"in"}, {{"perm", Dims{0, 2, 1}}});
  graph.node_with_outputs("Split", {rows, graph.integers({4, 3})}, {{"axis", int64_t{-1}}},
                          {"boxes", "scores"});
  const std::string best =
      graph.node("ReduceMax", {"scores"}, {{"axes", Dims{-1}}, {"keepdims", int64_t{0}}});
  graph.node_with_outputs("TopK", {best, graph.integers({6})}, {}, {"high", "anchors"});
  const std::string column = graph.node("Unsqueeze", {"anchors", graph.integers({-1})});
  const auto repeated = [&](int64_t times) {
    return graph.node("Tile", {column, graph.integers({1, 1, times})});
  };
  const std::string scores =
      graph.node("GatherElements", {"scores", repeated(3)}, {{"axis", int64_t{1}}});
  const std::string flat = graph.node("Reshape", {scores, graph.integers({1, 18})});
  graph.node_with_outputs("TopK", {flat, graph.integers({5})}, {}, {"top", "places"});
  const std::string of_anchor = graph.node("Div", {"places", graph.integers({3})});
  const std::string chosen =
      graph.node("GatherElements", {"anchors", of_anchor}, {{"axis", int64_t{1}}});
  const std::string boxes =
      graph.node("GatherND", {"boxes", graph.node("Unsqueeze", {chosen, graph.integers({-1})})},
                 {{"batch_dims", int64_t{1}}});
  const std::string top = graph.node("Unsqueeze", {"top", graph.integers({-1})});
  const std::string last = graph.node("Concat", {boxes, top}, {{"axis", int64_t{2}}});
  struct Found {
    double score;
    int64_t anchor;
  };
  std::vector<std::pair<double, int64_t>> anchors;
  for (int64_t i = 0; i < 40; ++i)
    anchors.push_back(
        {-std::max({input.at({0, 4, i}), input.at({0, 5, i}), input.at({0, 6, i})}), i});
  std::sort(anchors.begin(), anchors.end());
  std::vector<Found> found;
  for (size_t i = 0; i < 6; ++i)
    for (int64_t k = 0; k < 3; ++k)
      found.push_back({input.at({0, 4 + k, anchors[i].second}), anchors[i].second});
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.score > b.score; });
  check_everywhere(
      run_onnx(graph, last, input), {1, 5, 5},
      [&](const Dims& at) {
        const Found& one = found[static_cast<size_t>(at[1])];
        return at[2] == 4 ? one.score : input.at({0, at[2], one.anchor});
      },
      0.0);
}

}  // namespace shingle::tests
