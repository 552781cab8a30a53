// Operators that look at all elements along a dimension whose size depends on the input: what is
// behind the count must not show.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "tests/devices/native/counted_places.hpp"

namespace shingle::tests {

using namespace counted;
using networks::OnnxGraph;

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
  // The places 3, 5 and 7 have 3, 1 and 3; what is behind them would have 0.
  Array input{{length}, Numbers(length, 0.0F)};
  for (const size_t place : {3, 5, 7}) input.values[place] = 1.0F;
  OnnxGraph graph;
  const std::string rest = graph.node("Mod", {places(graph), graph.integers({4})});
  const std::string negated = graph.node("Neg", {as_floats(graph, rest)});
  const std::string best = graph.node("ArgMax", {negated}, {{"axis", int64_t{0}}});
  CHECK(run_counted(graph, best, input).values == Numbers{1.0F});
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

}  // namespace shingle::tests
