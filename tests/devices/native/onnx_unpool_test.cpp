// The places of maxima, MaxUnpool and ReverseSequence.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

struct Pool {
  int64_t kernel, stride, dilation = 1;
  Dims pads{0, 0, 0, 0};
  bool by_column = false;
};

networks::OnnxAttributes attributes_of(const Pool& pool) {
  return {{"kernel_shape", Dims{pool.kernel, pool.kernel}},
          {"strides", Dims{pool.stride, pool.stride}},
          {"dilations", Dims{pool.dilation, pool.dilation}},
          {"pads", pool.pads},
          {"storage_order", int64_t{pool.by_column ? 1 : 0}}};
}

// The index that MaxPool gives for the largest element of a window. It counts the elements of all
// channels of the input.
double place_of_maximum(const Array& input, const Pool& pool, const Dims& at) {
  double best = -INFINITY, place = -1.0;
  const int64_t rows = input.dims[2], columns = input.dims[3];
  for (int64_t i = 0; i < pool.kernel; ++i) {
    for (int64_t j = 0; j < pool.kernel; ++j) {
      const int64_t y = at[2] * pool.stride - pool.pads[0] + i * pool.dilation;
      const int64_t x = at[3] * pool.stride - pool.pads[1] + j * pool.dilation;
      if (y < 0 || x < 0 || y >= rows || x >= columns) continue;
      const double value = input.at({0, at[1], y, x});
      if (!(value > best)) continue;
      best = value;
      place = static_cast<double>(at[1] * rows * columns +
                                  (pool.by_column ? x * rows + y : y * columns + x));
    }
  }
  return place;
}

}  // namespace

TEST_CASE("MaxPool says where each maximum lies, row by row or column by column") {
  const Array input = random_whole_array({1, 3, 11, 9}, 1, 4.0F);  // some are equal
  const Pool pools[] = {{2, 2},
                        {3, 1, 1, {1, 1, 1, 1}},
                        {3, 2, 2, {0, 1, 2, 1}},
                        {2, 2, 1, {0, 0, 0, 0}, true},
                        {3, 2, 1, {1, 0, 1, 2}, true}};
  for (const Pool& pool : pools) {
    OnnxGraph graph;
    graph.node_with_outputs("MaxPool", {"in"}, attributes_of(pool), {"maxima", "places"});
    const Array computed = run_onnx(graph, std::string("places"), input);
    check_everywhere(
        computed, computed.dims, [&](const Dims& at) { return place_of_maximum(input, pool, at); },
        0.0);
  }
}

TEST_CASE("The place of a maximum is that of the first NaN of its window") {
  Array input{{1, 1, 1, 6}, {1.0F, NAN, 3.0F, NAN, -INFINITY, -INFINITY}};
  OnnxGraph graph;
  graph.node_with_outputs("MaxPool", {"in"},
                          {{"kernel_shape", Dims{1, 2}}, {"strides", Dims{1, 1}}},
                          {"maxima", "places"});
  const double expected[] = {1, 1, 3, 3, 4};
  check_everywhere(
      run_onnx(graph, std::string("places"), input), {1, 1, 1, 5},
      [&](const Dims& at) { return expected[at[3]]; }, 0.0);
}

TEST_CASE("MaxUnpool puts the maxima back where they were, and zeros elsewhere") {
  const Array input = random_array({1, 4, 6, 8}, 2);
  const Pool pool{2, 2};
  for (const bool larger : {false, true}) {
    OnnxGraph graph;
    graph.node_with_outputs("MaxPool", {"in"}, attributes_of(pool), {"maxima", "places"});
    std::vector<std::string> operands{"maxima", "places"};
    const Dims size{1, 4, larger ? 7 : 6, larger ? 10 : 8};
    if (larger) operands.push_back(graph.integers(size));
    const std::string last =
        graph.node("MaxUnpool", operands, {{"kernel_shape", Dims{2, 2}}, {"strides", Dims{2, 2}}});
    check_everywhere(
        run_onnx(graph, last, input), size,
        [&](const Dims& at) {
          if (at[2] >= 6 || at[3] >= 8) return 0.0;
          const Dims window{0, at[1], at[2] / 2, at[3] / 2};
          const auto here = static_cast<double>((at[1] * 6 + at[2]) * 8 + at[3]);
          return place_of_maximum(input, pool, window) == here ? input.at(at) : 0.0;
        },
        0.0);
  }
}

TEST_CASE("ReverseSequence turns each sequence round, as long as it is") {
  const Array input = random_array({3, 5, 4}, 3);
  const std::vector<int64_t> lengths{5, 0, 3};
  for (const bool known : {true, false}) {
    Array both{{}, input.values};
    for (const int64_t length : lengths) both.values.push_back(static_cast<float>(length));
    both.dims = {std::ssize(both.values)};
    OnnxGraph graph;
    const std::string map = part_of_input(graph, input.dims, 0);
    const std::string given = known ? graph.integers(lengths) : part_of_input(graph, {3}, 60);
    const std::string last = graph.node("ReverseSequence", {map, given},
                                        {{"batch_axis", int64_t{0}}, {"time_axis", int64_t{1}}});
    check_everywhere(
        run_onnx(graph, last, both), input.dims,
        [&](Dims at) {
          const int64_t length = lengths[static_cast<size_t>(at[0])];
          if (at[1] < length) at[1] = length - 1 - at[1];
          return input.at(at);
        },
        0.0);
  }
}

}  // namespace shingle::tests
