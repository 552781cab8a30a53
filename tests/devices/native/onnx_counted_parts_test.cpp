// Values whose size depends on the input, cut, padded and joined.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "tests/devices/native/counted_places.hpp"

namespace shingle::tests {

using namespace counted;
using networks::OnnxGraph;

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

}  // namespace shingle::tests
