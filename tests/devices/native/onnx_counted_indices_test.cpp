// Elements that are taken and written at as many places as there are.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/devices/native/counted_places.hpp"

namespace shingle::tests {

using namespace counted;
using networks::OnnxGraph;

TEST_CASE("Elements are taken where a condition holds") {
  for (const Array& input : inputs()) {
    OnnxGraph graph;
    const std::string table = graph.node(
        "Mul", {graph.floats({length, 2}, random_array({length, 2}, 3).values),
                graph.node("Reshape", {graph.node("Exp", {"in"}), graph.integers({-1, 1})})});
    const std::string condition = graph.node("Cast", {"in"}, {{"to", int64_t{9}}});
    const std::vector<Array> all = run_counted(
        graph,
        {table, graph.node("Compress", {table, condition}, {{"axis", int64_t{0}}}),
         graph.node("Compress", {table, graph.node("Slice", {condition, graph.integers({0}),
                                                             graph.integers({7})})})},
        input);
    Numbers rows, elements;
    for (size_t i = 0; i < input.values.size(); ++i) {
      if (input.values[i] == 0.0F) continue;
      for (const size_t column : {0, 1}) rows.push_back(all[0].values[2 * i + column]);
      if (i < 7) elements.push_back(all[0].values[i]);
    }
    CHECK(all[1].dims == Dims{std::ssize(rows) / 2, 2});
    CHECK(all[1].values == rows);
    CHECK(all[2].values == elements);
  }
}

TEST_CASE("Sizes are taken where a condition holds") {
  check(
      [](OnnxGraph& graph) {
        const std::string column = graph.node("Unsqueeze", {places(graph), graph.integers({1})});
        const std::string two =
            graph.node("Slice", {"in", graph.integers({0}), graph.integers({2})});
        const std::string holds = graph.node("Cast", {two}, {{"to", int64_t{9}}});
        return graph.node("Compress", {graph.node("Shape", {column}), holds},
                          {{"axis", int64_t{0}}});
      },
      [](const Numbers& values) {
        Numbers taken;
        if (std::ranges::find(values, 0.0F) != values.end())
          taken.push_back(static_cast<float>(values.size()));
        if (std::ranges::find(values, 1.0F) != values.end()) taken.push_back(1.0F);
        return list(taken);
      });
}

TEST_CASE("As many rows are written into a table as there are") {
  check(
      [](OnnxGraph& graph) {
        const std::string list = places(graph);
        const std::string count = graph.node("Squeeze", {graph.node("Shape", {list})});
        const std::string zero = graph.tensor({}, 7, std::string(8, '\0'));
        const std::string one = graph.tensor({}, 7, std::string("\1\0\0\0\0\0\0\0", 8));
        const std::string rows =
            graph.node("Unsqueeze", {graph.node("Range", {zero, count, one}), graph.integers({1})});
        const std::string table = graph.floats({15}, Numbers(15, -4.0F));
        return graph.node("ScatterND", {table, rows, as_floats(graph, list)});
      },
      [](const Numbers& values) { return list(filled_up(values, 15, -4.0F)); });
  check(
      [](OnnxGraph& graph) {
        const std::string list = places(graph);
        const std::string ones = graph.node(
            "Exp", {graph.node("Sub", {as_floats(graph, list), as_floats(graph, list)})});
        const std::string table = graph.floats({length}, Numbers(length, 2.0F));
        return graph.node("ScatterElements", {table, list, ones}, {{"axis", int64_t{0}}});
      },
      [](const Numbers& values) {
        Numbers table(length, 2.0F);
        for (const float place : values) table[static_cast<size_t>(place)] = 1.0F;
        return list(table);
      });
}

TEST_CASE("Rows are read at as many indices as there are") {
  const Array table = random_array({length, 3}, 4);
  const auto rows_of = [&](const Numbers& values) {
    Array rows{{std::ssize(values), 3}, {}};
    for (const float place : values)
      for (size_t i = 0; i < 3; ++i)
        rows.values.push_back(table.values[static_cast<size_t>(place) * 3 + i]);
    return rows;
  };
  const auto known = [&](OnnxGraph& graph) { return graph.floats(table.dims, table.values); };
  check(
      [&](OnnxGraph& graph) {
        return graph.node("Gather", {known(graph), places(graph)});
      },
      rows_of);
  check(
      [&](OnnxGraph& graph) {
        const std::string tuples = graph.node("Transpose", {graph.node("NonZero", {"in"})});
        return graph.node("GatherND", {known(graph), tuples});
      },
      rows_of);
  check(
      [&](OnnxGraph& graph) {
        const std::string column = graph.node("Unsqueeze", {places(graph), graph.integers({1})});
        const std::string wide =
            graph.node("Concat", {column, column, column}, {{"axis", int64_t{1}}});
        return graph.node("GatherElements", {known(graph), wide}, {{"axis", int64_t{0}}});
      },
      rows_of);
}

}  // namespace shingle::tests
