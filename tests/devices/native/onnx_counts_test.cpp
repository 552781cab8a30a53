// Sizes that depend on the input, followed through the operators behind them. The counted value is
// the list of places at which the input is not 0, of which each test knows what there is.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "tests/devices/native/counted_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;
using Numbers = std::vector<float>;

constexpr int64_t length = 12;

// Inputs with none, one, some and all elements that are not 0.
std::vector<Array> inputs() {
  std::vector<Array> all;
  for (const int kept : {0, 1, 5, 11, 12}) {
    Array input{{length}, Numbers(length, 0.0F)};
    for (int i = 0; i < kept; ++i) input.values[static_cast<size_t>(i * 5 % length)] = 1.0F;
    all.push_back(std::move(input));
  }
  return all;
}

Numbers places_in(const Array& input) {
  Numbers places;
  for (size_t i = 0; i < input.values.size(); ++i)
    if (input.values[i] != 0.0F) places.push_back(static_cast<float>(i));
  return places;
}

// [n]: the places, as integers.
std::string places(OnnxGraph& graph) {
  const std::string found = graph.node("NonZero", {"in"});
  return graph.node("Squeeze", {found, graph.integers({0})});
}

std::string as_floats(OnnxGraph& graph, const std::string& value) {
  return graph.node("Cast", {value}, {{"to", int64_t{1}}});
}

// [1]: n.
std::string number(OnnxGraph& graph, const std::string& list) {
  const std::string shape = graph.node("Shape", {list});
  return graph.node("Slice", {shape, graph.integers({0}), graph.integers({1})});
}

using Build = std::function<std::string(OnnxGraph&)>;
using Expect = std::function<Array(const Numbers& places)>;

void check(const Build& build, const Expect& expect, int64_t opset = 13) {
  for (const Array& input : inputs()) {
    OnnxGraph graph;
    const std::string last = build(graph);
    const Array computed = run_counted(graph, last, input, opset);
    const Array expected = expect(places_in(input));
    CAPTURE(places_in(input).size());
    CHECK(computed.dims == expected.dims);
    CHECK(computed.values == expected.values);
  }
}

Array list(Numbers values) {
  const auto count = std::ssize(values);
  return {{count}, std::move(values)};
}

Array one(float value) { return {{1}, {value}}; }

Numbers first_of(const Numbers& values, size_t count) {
  return {values.begin(), values.begin() + static_cast<ptrdiff_t>(std::min(count, values.size()))};
}

Numbers filled_up(Numbers values, size_t size, float by) {
  values.resize(size, by);
  return values;
}

}  // namespace

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

TEST_CASE("A slice takes at most as many as there are") {
  check(
      [](OnnxGraph& graph) {
        return graph.node("Slice", {places(graph), graph.integers({0}), graph.integers({4})});
      },
      [](const Numbers& values) { return list(first_of(values, 4)); });
  check(
      [](OnnxGraph& graph) {
        return graph.node("Slice", {places(graph), graph.integers({2}),
                                    graph.integers({std::numeric_limits<int64_t>::max()})});
      },
      [](const Numbers& values) {
        const size_t cut = std::min<size_t>(2, values.size());
        return list({values.begin() + static_cast<ptrdiff_t>(cut), values.end()});
      });
  check(
      [](OnnxGraph& graph) {
        return graph.node("Slice", {places(graph), graph.integers({0}), graph.integers({-3})});
      },
      [](const Numbers& values) {
        return list(first_of(values, values.size() < 3 ? 0 : values.size() - 3));
      });
}

TEST_CASE("A slice ends where a size says that depends on the input") {
  check(
      [](OnnxGraph& graph) {
        const std::string half =
            graph.node("Div", {number(graph, places(graph)), graph.integers({2})});
        const std::string squares = graph.node("Mul", {"in", graph.scalar(7.0F)});
        return graph.node("Slice", {squares, graph.integers({0}), half});
      },
      [](const Numbers& values) {
        Numbers kept;
        for (size_t i = 0; i < values.size() / 2; ++i) {
          const bool there = std::ranges::find(values, static_cast<float>(i)) != values.end();
          kept.push_back(there ? 7.0F : 0.0F);
        }
        return list(kept);
      });
}

TEST_CASE("A pad up to a fixed size fills what is behind the count") {
  for (const int64_t size : {5, 12, 20}) {
    check(
        [&](OnnxGraph& graph) {
          const std::string list = as_floats(graph, places(graph));
          const std::string kept =
              graph.node("Slice", {list, graph.integers({0}), graph.integers({size})});
          const std::string missing =
              graph.node("Sub", {graph.integers({size}), number(graph, kept)});
          const std::string pads =
              graph.node("Concat", {graph.integers({0}), missing}, {{"axis", int64_t{0}}});
          return graph.node("Pad", {kept, pads, graph.scalar(-2.5F)});
        },
        [&](const Numbers& values) {
          const auto count = static_cast<size_t>(size);
          return list(filled_up(first_of(values, count), count, -2.5F));
        });
  }
}

TEST_CASE("Pads that PyTorch computes are known by the sizes that they come from") {
  check(
      [](OnnxGraph& graph) {
        const std::string list = as_floats(graph, places(graph));
        const std::string rows = graph.node("Unsqueeze", {list, graph.integers({1})});
        const std::string missing = graph.node("Sub", {graph.integers({15}), number(graph, rows)});
        // (0, 0, 0, missing), last dim first; then in pairs, turned round, and transposed
        const std::string last_first =
            graph.node("Concat", {graph.integers({0, 0, 0}), missing}, {{"axis", int64_t{0}}});
        const std::string pairs = graph.node("Reshape", {last_first, graph.integers({-1, 2})});
        const std::string turned =
            graph.node("Slice", {pairs, graph.integers({-1}),
                                 graph.integers({std::numeric_limits<int64_t>::min() + 1}),
                                 graph.integers({0}), graph.integers({-1})});
        const std::string flat =
            graph.node("Reshape", {graph.node("Transpose", {turned}), graph.integers({-1})});
        return graph.node("Pad", {rows, graph.node("Cast", {flat}, {{"to", int64_t{7}}})});
      },
      [](const Numbers& values) {
        return Array{{15, 1}, filled_up(values, 15, 0.0F)};
      });
}

TEST_CASE("A pad by a fixed amount makes the counted size longer") {
  check(
      [](OnnxGraph& graph) {
        const std::string list = as_floats(graph, places(graph));
        return graph.node("Pad", {list, graph.integers({2, 3}), graph.scalar(9.0F)});
      },
      [](const Numbers& values) {
        Numbers padded(2, 9.0F);
        padded.insert(padded.end(), values.begin(), values.end());
        padded.insert(padded.end(), 3, 9.0F);
        return list(padded);
      });
}

TEST_CASE("A reduction sees what counts only") {
  const std::pair<const char*, std::function<float(const Numbers&)>> reductions[] = {
      {"ReduceSum", [](const Numbers& v) { return std::accumulate(v.begin(), v.end(), 0.0F); }},
      {"ReduceProd",
       [](const Numbers& v) {
         return std::accumulate(v.begin(), v.end(), 1.0F, std::multiplies<>());
       }},
      {"ReduceMax",
       [](const Numbers& v) {
         return v.empty() ? -std::numeric_limits<float>::infinity() : *std::ranges::max_element(v);
       }},
      {"ReduceMin",
       [](const Numbers& v) {
         return v.empty() ? std::numeric_limits<float>::infinity() : *std::ranges::min_element(v);
       }},
      {"ReduceSumSquare",
       [](const Numbers& v) { return std::inner_product(v.begin(), v.end(), v.begin(), 0.0F); }}};
  for (const auto& [op, expected] : reductions) {
    CAPTURE(op);
    check(
        [&, op = op](OnnxGraph& graph) {
          const std::string shifted =
              graph.node("Sub", {as_floats(graph, places(graph)), graph.scalar(3.0F)});
          return graph.node(op, {shifted});
        },
        [&, expected = expected](Numbers values) {
          for (float& value : values) value -= 3.0F;
          return one(expected(values));
        });
  }
}

namespace {

// [n, n]: the sum of each two places.
std::string sums(OnnxGraph& graph) {
  const std::string list = as_floats(graph, places(graph));
  return graph.node("Add", {graph.node("Unsqueeze", {list, graph.integers({1})}),
                            graph.node("Unsqueeze", {list, graph.integers({0})})});
}

}  // namespace

TEST_CASE("A reduction along two dimensions sees what counts along both") {
  check(
      [](OnnxGraph& graph) {
        return graph.node("ReduceSum", {sums(graph), graph.integers({0, 1})});
      },
      [](const Numbers& values) {
        const float sum = std::accumulate(values.begin(), values.end(), 0.0F);
        return Array{{1, 1}, {2.0F * sum * static_cast<float>(values.size())}};
      });
}

TEST_CASE("A pad behind two dimensions begins where both end") {
  check(
      [](OnnxGraph& graph) {
        return graph.node("Pad", {sums(graph), graph.integers({0, 0, 1, 1}), graph.scalar(7.0F)});
      },
      [](const Numbers& values) {
        const int64_t size = std::ssize(values) + 1;
        Array padded{{size, size}, {}};
        for (const float row : values) {
          for (const float column : values) padded.values.push_back(row + column);
          padded.values.push_back(7.0F);
        }
        padded.values.insert(padded.values.end(), static_cast<size_t>(size), 7.0F);
        return padded;
      });
}

TEST_CASE("A mean divides by what counts") {
  for (const Array& input : inputs()) {
    const Numbers values = places_in(input);
    if (values.empty()) continue;
    OnnxGraph graph;
    const std::string mean = graph.node("ReduceMean", {as_floats(graph, places(graph))});
    const float sum = std::accumulate(values.begin(), values.end(), 0.0F);
    CHECK(run_counted(graph, mean, input).values ==
          Numbers{sum / static_cast<float>(values.size())});
  }
}

TEST_CASE("The best place is one that counts") {
  for (const Array& input : inputs()) {
    const Numbers values = places_in(input);
    if (values.empty()) continue;
    OnnxGraph graph;
    const std::string negated = graph.node("Neg", {as_floats(graph, places(graph))});
    const std::string best = graph.node("ArgMax", {negated}, {{"axis", int64_t{0}}});
    CHECK(run_counted(graph, best, input).values == Numbers{0.0F});
  }
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

TEST_CASE("A softmax and a running sum see what counts only") {
  for (const Array& input : inputs()) {
    const size_t count = places_in(input).size();
    OnnxGraph graph;
    const std::string list = as_floats(graph, places(graph));
    const std::string even = graph.node("Sub", {list, list});
    const std::vector<Array> both =
        run_counted(graph,
                    {graph.node("Softmax", {even}, {{"axis", int64_t{0}}}),
                     graph.node("CumSum", {graph.node("Exp", {even}), graph.integers({0})},
                                {{"reverse", int64_t{1}}})},
                    input);
    REQUIRE(both[0].dims == Dims{static_cast<int64_t>(count)});
    for (const float share : both[0].values)
      CHECK(share == doctest::Approx(1.0 / static_cast<double>(count)));
    for (size_t i = 0; i < count; ++i) CHECK(both[1].values[i] == static_cast<float>(count - i));
  }
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

TEST_CASE("Operands whose sizes depend on the input are joined without gaps") {
  check(
      [](OnnxGraph& graph) {
        const std::string list = as_floats(graph, places(graph));
        const std::string part =
            graph.node("Slice", {list, graph.integers({0}), graph.integers({3})});
        const std::string known = graph.floats({2}, {-1.0F, -2.0F});
        return graph.node("Concat", {list, known, part}, {{"axis", int64_t{0}}});
      },
      [](Numbers values) {
        const Numbers part = first_of(values, 3);
        values.insert(values.end(), {-1.0F, -2.0F});
        values.insert(values.end(), part.begin(), part.end());
        return list(values);
      });
}

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

TEST_CASE("The first elements by order are among those that count") {
  for (const int64_t largest : {0, 1}) {
    CAPTURE(largest);
    check(
        [&](OnnxGraph& graph) {
          const std::string list = as_floats(graph, places(graph));
          const std::string away =
              graph.node("Abs", {graph.node("Sub", {list, graph.scalar(4.25F)})});
          const std::string both = graph.node("Concat", {number(graph, list), graph.integers({3})},
                                              {{"axis", int64_t{0}}});
          const std::string many = graph.node("ReduceMin", {both});
          graph.node_with_outputs("TopK", {away, many}, {{"largest", largest}},
                                  {"values", "indices"});
          return graph.node("Gather", {list, "indices"});
        },
        [&](Numbers values) {
          std::ranges::stable_sort(values, [&](float a, float b) {
            const float x = std::abs(a - 4.25F), y = std::abs(b - 4.25F);
            return largest != 0 ? x > y : x < y;
          });
          return list(first_of(values, 3));
        });
  }
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
