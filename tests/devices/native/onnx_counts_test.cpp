// Sizes that depend on the input go on: through arithmetic, other shapes, and values that are made
// as large as a size says.
#include <doctest/doctest.h>

#include "tests/devices/native/counted_places.hpp"

namespace shingle::tests {

using namespace counted;
using networks::OnnxGraph;

TEST_CASE("A count goes on through arithmetic, casts and choices") {
  check(
      [](OnnxGraph& graph) {
        const std::string list = places(graph), real = as_floats(graph, list);
        const std::string odd = graph.node("Mod", {list, graph.integers({2})});
        const std::string more = graph.node("Add", {graph.node("Mul", {real, real}), real});
        return graph.node("Where", {graph.node("Cast", {odd}, {{"to", int64_t{9}}}), more, real});
      },
      [](Numbers values) {
        for (float& value : values)
          if (static_cast<int>(value) % 2 == 1) value = value * value + value;
        return list(values);
      });
}

TEST_CASE("A count goes on through reshapes and transposes") {
  check(
      [](OnnxGraph& graph) {
        const std::string column = graph.node("Unsqueeze", {places(graph), graph.integers({1})});
        const std::string pairs = graph.node("Concat", {column, column}, {{"axis", int64_t{1}}});
        const std::string turned = graph.node("Transpose", {pairs});
        const std::string back = graph.node("Transpose", {turned});
        const std::string flat = graph.node("Reshape", {back, graph.integers({-1})});
        return graph.node("Reshape", {flat, graph.integers({1, -1, 2, 1})});
      },
      [](const Numbers& values) {
        Array pairs{{1, std::ssize(values), 2, 1}, {}};
        for (const float value : values) pairs.values.insert(pairs.values.end(), 2, value);
        return pairs;
      });
}

TEST_CASE("A reshape takes its sizes from a value's own") {
  check(
      [](OnnxGraph& graph) {
        const std::string list = places(graph);
        const std::string shape = graph.node("Concat", {number(graph, list), graph.integers({1})},
                                             {{"axis", int64_t{0}}});
        return graph.node("Reshape", {list, shape});
      },
      [](const Numbers& values) {
        return Array{{std::ssize(values), 1}, values};
      });
}

TEST_CASE("The sizes of two values that share a count are one number") {
  const Array input = inputs()[2];
  OnnxGraph graph;
  const std::string list = places(graph), real = as_floats(graph, list);
  const std::string size = graph.node("Size", {real}), shape = graph.node("Shape", {list});
  const std::vector<Array> all = run_counted(graph, {list, real, size, shape}, input);
  CHECK(all[2].values == Numbers{5.0F});
  CHECK(all[3].values == Numbers{5.0F});
}

TEST_CASE("A value is expanded to a size that depends on the input") {
  check(
      [](OnnxGraph& graph) {
        const std::string list = places(graph);
        const std::string wanted = graph.node("Concat", {graph.integers({2}), number(graph, list)},
                                              {{"axis", int64_t{0}}});
        // As PyTorch writes it: -1 stands for a size that stays.
        const std::string ones = graph.node("ConstantOfShape", {graph.node("Shape", {wanted})});
        const std::string stays = graph.node(
            "Equal", {wanted, graph.node("Sub", {graph.node("Cast", {ones}, {{"to", int64_t{7}}}),
                                                 graph.integers({1})})});
        const std::string sizes = graph.node("Where", {stays, graph.integers({1, 1}), wanted});
        const std::string column = graph.floats({2, 1}, {4.0F, 6.0F});
        return graph.node("Expand", {column, sizes});
      },
      [](const Numbers& values) {
        Array rows{{2, std::ssize(values)}, Numbers(values.size(), 4.0F)};
        rows.values.insert(rows.values.end(), values.size(), 6.0F);
        return rows;
      });
}

TEST_CASE("Ranges and filled tensors have sizes that depend on the input") {
  check(
      [](OnnxGraph& graph) {
        const std::string shape = graph.node("Shape", {places(graph)});
        const std::string count = graph.node("Squeeze", {shape});
        return graph.node("Range", {graph.tensor({}, 7, std::string(8, '\0')), count,
                                    graph.tensor({}, 7, std::string("\2\0\0\0\0\0\0\0", 8))});
      },
      [](const Numbers& values) {
        Numbers range;
        for (size_t i = 0; i < values.size(); i += 2) range.push_back(static_cast<float>(i));
        return list(range);
      });
  check(
      [](OnnxGraph& graph) {
        const std::string list = places(graph);
        const std::string filled = graph.node("ConstantOfShape", {graph.node("Shape", {list})});
        return graph.node("Add", {graph.node("Exp", {filled}), as_floats(graph, list)});
      },
      [](Numbers values) {
        for (float& value : values) value += 1.0F;
        return list(values);
      });
}

TEST_CASE("A product has as many rows as its first operand") {
  check(
      [](OnnxGraph& graph) {
        const std::string column =
            graph.node("Unsqueeze", {as_floats(graph, places(graph)), graph.integers({1})});
        return graph.node("MatMul", {column, graph.floats({1, 2}, {2.0F, -1.0F})});
      },
      [](const Numbers& values) {
        Array rows{{std::ssize(values), 2}, {}};
        for (const float value : values) {
          rows.values.push_back(2.0F * value);
          rows.values.push_back(-value);
        }
        return rows;
      });
}

}  // namespace shingle::tests
