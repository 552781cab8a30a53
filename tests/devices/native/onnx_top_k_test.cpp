// TopK, held against a search that takes the best element again and again.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

struct Top {
  Dims dims;
  int64_t axis;
  int64_t count;
  bool largest = true;
  int64_t opset = 13;
};

// NaN is larger than every number.
bool better(double a, double b, bool largest) {
  if (std::isnan(a) || std::isnan(b))
    return largest ? std::isnan(a) && !std::isnan(b) : !std::isnan(a) && std::isnan(b);
  return largest ? a > b : a < b;
}

// By place of the output: the index of the element that stands there.
Array best_indices(const Array& input, const Top& top) {
  Array indices{input.dims, {}};
  const auto axis = static_cast<size_t>(top.axis);
  indices.dims[axis] = top.count;
  for_each_index(indices.dims, [&](const Dims& at) {
    std::vector<bool> taken(static_cast<size_t>(input.dims[axis]), false);
    Dims place = at;
    int64_t best = -1;
    for (int64_t rank = 0; rank <= at[axis]; ++rank) {
      best = -1;
      for (int64_t i = 0; i < input.dims[axis]; ++i) {
        if (taken[static_cast<size_t>(i)]) continue;
        place[axis] = i;
        const double value = input.at(place);
        if (best >= 0) {
          place[axis] = best;
          if (!better(value, input.at(place), top.largest)) continue;
        }
        best = i;
      }
      taken[static_cast<size_t>(best)] = true;
    }
    indices.values.push_back(static_cast<float>(best));
  });
  return indices;
}

std::vector<std::string> add_top_k(OnnxGraph& graph, const std::string& in, const Top& top) {
  networks::OnnxAttributes attributes{{"axis", top.axis}};
  std::vector<std::string> operands{in};
  if (top.opset < 10)
    attributes.push_back({"k", top.count});
  else
    operands.push_back(graph.integers({top.count}));
  if (top.opset >= 11) attributes.push_back({"largest", int64_t{top.largest ? 1 : 0}});
  graph.node_with_outputs("TopK", operands, attributes, {"values", "indices"});
  return {"values", "indices"};
}

void check(const Array& input, const Top& top) {
  CAPTURE(top.axis);
  CAPTURE(top.count);
  CAPTURE(top.largest);
  CAPTURE(top.opset);
  const Array best = best_indices(input, top);
  OnnxGraph of_indices;
  check_everywhere(
      run_onnx(of_indices, add_top_k(of_indices, "in", top)[1], input, top.opset), best.dims,
      [&](const Dims& at) { return best.at(at); }, 0.0);
  OnnxGraph of_values;
  check_everywhere(
      run_onnx(of_values, add_top_k(of_values, "in", top)[0], input, top.opset), best.dims,
      [&](Dims at) {
        at[static_cast<size_t>(top.axis)] = static_cast<int64_t>(best.at(at));
        return input.at(at);
      },
      0.0);
}

// Of few different numbers, both zeros among them.
Array with_equals(const Dims& dims, uint64_t seed) {
  Array array = random_array(dims, seed);
  for (float& value : array.values) value = std::round(value * 4.0F) / 4.0F;
  return array;
}

}  // namespace

TEST_CASE("The first elements of each line are found along any axis, the first of equals first") {
  const Dims dims{1, 5, 6, 7};
  for (const int64_t axis : {1, 2, 3}) {
    for (const bool largest : {true, false}) {
      const int64_t size = dims[static_cast<size_t>(axis)];
      check(with_equals(dims, 1), {dims, axis, 3, largest});
      check(random_array(dims, 2), {dims, axis, size, largest});
      check(random_array(dims, 3), {dims, axis, 1, largest});
    }
  }
  check(random_array({2, 3, 4, 5}, 4), {{2, 3, 4, 5}, 0, 2});
  check(with_equals({1, 70}, 5), {{1, 70}, 1, 30});
  check(with_equals({3, 40}, 6), {{3, 40}, 1, 17});
  check(with_equals({1, 90, 4}, 7), {{1, 90, 4}, 1, 20});
  check(with_equals({40}, 8), {{40}, 0, 40});
  check(random_array({1, 1, 4}, 9), {{1, 1, 4}, 1, 1});
}

TEST_CASE("The old forms of TopK take their number from an attribute, or have no smallest") {
  const Array input = with_equals({1, 6, 9}, 10);
  for (const int64_t opset : {6, 10, 11, 24}) check(input, {input.dims, 2, 4, true, opset});
}

TEST_CASE("NaN counts as the largest element, infinities as numbers") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Array input{{1, 10}, {1.0F, nan, -infinity, 0.0F, -0.0F, infinity, -nan, -3.0F, 0.0F, nan}};
  for (const int64_t count : {1, 4, 10}) {
    for (const bool largest : {true, false}) {
      const Top top{input.dims, 1, count, largest};
      const Array best = best_indices(input, top);
      OnnxGraph graph;
      check_everywhere(
          run_onnx(graph, add_top_k(graph, "in", top)[1], input, 13), best.dims,
          [&](const Dims& at) { return best.at(at); }, 0.0);
    }
  }
}

TEST_CASE("Of one element the first is the first, even NaN") {
  const Array input{{1, 3, 1}, {std::numeric_limits<float>::quiet_NaN(), 2.0F, INFINITY}};
  OnnxGraph graph;
  const std::string indices = add_top_k(graph, "in", {input.dims, 2, 1})[1];
  check_everywhere(
      run_onnx(graph, indices, input), input.dims, [](const Dims&) { return 0.0; }, 0.0);
}

TEST_CASE("The best of lines whose dimension lies in several axes are found") {
  // 2x3x4x5 read as 4 groups of 30, a transpose between.
  const Array input = with_equals({1, 6, 4, 5}, 11);
  OnnxGraph graph;
  const std::string turned = graph.node("Transpose", {"in"}, {{"perm", Dims{0, 2, 1, 3}}});
  const std::string lines = graph.node("Reshape", {turned, graph.integers({1, 4, 30})});
  const std::string found = add_top_k(graph, lines, {{1, 4, 30}, 2, 11})[1];
  Array by_line{{1, 4, 30}, {}};
  for_each_index(by_line.dims, [&](const Dims& at) {
    by_line.values.push_back(static_cast<float>(input.at({0, at[2] / 5, at[1], at[2] % 5})));
  });
  const Array best = best_indices(by_line, {by_line.dims, 2, 11});
  check_everywhere(
      run_onnx(graph, found, input), best.dims, [&](const Dims& at) { return best.at(at); }, 0.0);
}

TEST_CASE("The best of a constant are known when the file is read") {
  const Array values = with_equals({1, 2, 8}, 12), input = random_array({1, 2, 3}, 13);
  for (const bool largest : {true, false}) {
    const Top top{values.dims, 2, 3, largest};
    const Array best = best_indices(values, top);
    for (const bool order : {false, true}) {
      OnnxGraph graph;
      const std::vector<std::string> found =
          add_top_k(graph, graph.floats(values.dims, values.values), top);
      const std::string known = graph.node("Cast", {found[order ? 1 : 0]}, {{"to", int64_t{1}}});
      check_everywhere(run_onnx(graph, graph.node("Add", {"in", known}), input), input.dims,
                       [&](Dims at) {
                         const double index = best.at(at);
                         const double here = input.at(at);
                         at[2] = static_cast<int64_t>(index);
                         return here + (order ? index : values.at(at));
                       });
    }
  }
}

}  // namespace shingle::tests
