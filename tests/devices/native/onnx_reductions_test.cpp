// ONNX operators that gather: reductions of every kind, indices of extremes, pools by powers,
// normalisations by the map's own content.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

double sum_of(const std::vector<double>& values, double (*term)(double)) {
  double sum = 0.0;
  for (const double value : values) sum += term(value);
  return sum;
}

double reduced(const std::string& op, const std::vector<double>& values) {
  if (op == "ReduceMin") return *std::min_element(values.begin(), values.end());
  if (op == "ReduceL1") return sum_of(values, [](double x) { return std::abs(x); });
  if (op == "ReduceL2") return std::sqrt(sum_of(values, [](double x) { return x * x; }));
  if (op == "ReduceSumSquare") return sum_of(values, [](double x) { return x * x; });
  if (op == "ReduceLogSum") return std::log(sum_of(values, [](double x) { return x; }));
  return std::log(sum_of(values, [](double x) { return std::exp(x); }));
}

// The elements of `array` that fall on `index` when `axes` (kept as size 1) are reduced.
std::vector<double> fallen_on(const Array& array, const Dims& index, const Dims& axes) {
  std::vector<double> values;
  for_each_index(array.dims, [&](const Dims& at) {
    Dims onto = at;
    for (const int64_t axis : axes) onto[static_cast<size_t>(axis)] = 0;
    if (onto == index) values.push_back(array.at(at));
  });
  return values;
}

}  // namespace

TEST_CASE("Reductions that are made up of others") {
  Array input = random_array({1, 6, 5, 4}, 1);
  for (float& value : input.values) value = std::abs(value) + 0.1F;
  for (const char* op : {"ReduceMin", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum",
                         "ReduceLogSumExp"}) {
    for (const Dims& axes : {Dims{1}, Dims{2, 3}, Dims{1, 3}, Dims{0}, Dims{0, 1, 2, 3}}) {
      CAPTURE(op);
      Dims dims = input.dims;
      for (const int64_t axis : axes) dims[static_cast<size_t>(axis)] = 1;
      OnnxGraph graph;
      const Array computed = run_onnx(graph, {.op = op, .attributes = {{"axes", axes}}}, input);
      check_everywhere(computed, dims,
                       [&](const Dims& at) { return reduced(op, fallen_on(input, at, axes)); });
    }
  }
}

TEST_CASE("A sum of exponentials does not overflow, a least is negative") {
  Array input = random_array({1, 4, 3, 3}, 2);
  for (float& value : input.values) value = value * 200.0F - 100.0F;
  for (const char* op : {"ReduceMin", "ReduceLogSumExp"}) {
    OnnxGraph graph;
    const OneNode node{.op = op, .attributes = {{"axes", Dims{1}}, {"keepdims", int64_t{0}}}};
    check_everywhere(run_onnx(graph, node, input), {1, 3, 3}, [&](const Dims& at) {
      return reduced(op, fallen_on(input, {0, 0, at[1], at[2]}, {1}));
    });
  }
}

TEST_CASE("The index of the largest or least element, the first or the last of equals") {
  // The largest and the smallest value stand several times.
  const Array input = random_whole_array({1, 7, 6, 5}, 3, 2.0F);
  for (const char* op : {"ArgMax", "ArgMin"}) {
    for (const bool last : {false, true}) {
      for (size_t axis = 0; axis < 4; ++axis) {
        CAPTURE(op);
        CAPTURE(last);
        CAPTURE(axis);
        Dims dims = input.dims;
        dims[axis] = 1;
        OnnxGraph graph;
        const OneNode node{.op = op,
                           .attributes = {{"axis", static_cast<int64_t>(axis)},
                                          {"select_last_index", int64_t{last}}}};
        check_everywhere(run_onnx(graph, node, input), dims, [&](Dims at) {
          const double sign = op == std::string("ArgMax") ? 1.0 : -1.0;
          int64_t best = 0;
          for (int64_t i = 0; i < input.dims[axis]; ++i) {
            Dims other = at;
            other[axis] = i;
            at[axis] = best;
            const double gain = sign * (input.at(other) - input.at(at));
            if (gain > 0.0 || (last && gain >= 0.0)) best = i;
          }
          return static_cast<double>(best);
        });
      }
    }
  }
}

TEST_CASE("An index counts along a flattened map, and is cast and left without its dim") {
  const Array input = random_array({1, 3, 4, 5}, 4);
  OnnxGraph graph;
  const std::string rows = graph.node("Reshape", {"in", graph.integers({1, 3, 20})});
  const std::string index =
      graph.node("ArgMax", {rows}, {{"axis", int64_t{2}}, {"keepdims", int64_t{0}}});
  const std::string whole = graph.node("Cast", {index}, {{"to", int64_t{7}}});
  const std::string result = graph.node("Cast", {whole}, {{"to", int64_t{1}}});
  check_everywhere(run_onnx(graph, result, input), {1, 3}, [&](const Dims& at) {
    const auto begin = input.values.begin() + at[1] * 20;
    return static_cast<double>(std::max_element(begin, begin + 20) - begin);
  });
}

TEST_CASE("A pool by powers takes the root of their sum") {
  const Array input = random_array({1, 5, 11, 9}, 5);
  for (const int64_t p : {1, 2, 3}) {
    CAPTURE(p);
    OnnxGraph graph;
    const Array computed = run_onnx(graph,
                                    {.op = "LpPool",
                                     .attributes = {{"kernel_shape", Dims{3, 2}},
                                                    {"strides", Dims{2, 1}},
                                                    {"pads", Dims{1, 0, 1, 1}},
                                                    {"p", p}}},
                                    input);
    check_everywhere(computed, {1, 5, 6, 9}, [&](const Dims& at) {
      double sum = 0.0;
      for (int64_t y = at[2] * 2 - 1; y < at[2] * 2 + 2; ++y) {
        for (int64_t x = at[3]; x < at[3] + 2; ++x) {
          if (y < 0 || y >= 11 || x >= 9) continue;
          sum += std::pow(std::abs(input.at({0, at[1], y, x})), p);
        }
      }
      return std::pow(sum, 1.0 / static_cast<double>(p));
    });
    OnnxGraph other;
    const OneNode all{.op = "GlobalLpPool", .attributes = {{"p", p}}};
    check_everywhere(run_onnx(other, all, input), {1, 5, 1, 1}, [&](const Dims& at) {
      double sum = 0.0;
      for (const double value : fallen_on(input, at, {2, 3})) sum += std::pow(std::abs(value), p);
      return std::pow(sum, 1.0 / static_cast<double>(p));
    });
  }
}

TEST_CASE("Local response normalisation divides by the neighbouring channels' power") {
  const Array input = random_array({1, 9, 4, 6}, 6);
  for (const int64_t size : {1, 4, 5, 30}) {
    CAPTURE(size);
    OnnxGraph graph;
    const Array computed =
        run_onnx(graph,
                 {.op = "LRN",
                  .attributes = {{"size", size}, {"alpha", 0.5F}, {"beta", 0.6F}, {"bias", 2.0F}}},
                 input);
    check_everywhere(computed, input.dims, [&](const Dims& at) {
      double sum = 0.0;
      for (int64_t c = 0; c < 9; ++c) {
        const bool near = c >= at[1] - (size - 1) / 2 && c <= at[1] + size / 2;
        if (near) sum += std::pow(input.at({0, c, at[2], at[3]}), 2.0);
      }
      return input.at(at) / std::pow(2.0 + 0.5 / static_cast<double>(size) * sum, 0.6);
    });
  }
}

TEST_CASE("Instance normalisation gives each channel's map its own mean and deviation") {
  for (const Dims& dims : {Dims{1, 3, 6, 5}, Dims{1, 3, 7}}) {
    const Array input = random_array(dims, 7);
    OnnxGraph graph;
    const std::vector<float> scale{1.0F, -0.5F, 2.0F}, shift{0.0F, 1.0F, -3.0F};
    const Array computed =
        run_onnx(graph, {.op = "InstanceNormalization", .attributes = {{"epsilon", 0.01F}}}, input,
                 {graph.floats({3}, scale), graph.floats({3}, shift)});
    const int64_t size = static_cast<int64_t>(input.values.size()) / 3;
    check_everywhere(computed, dims, [&](const Dims& at) {
      double mean = 0.0, variance = 0.0;
      for (int64_t i = 0; i < size; ++i) {
        mean += static_cast<double>(input.values[static_cast<size_t>(at[1] * size + i)]) /
                static_cast<double>(size);
      }
      for (int64_t i = 0; i < size; ++i) {
        const auto value = static_cast<double>(input.values[static_cast<size_t>(at[1] * size + i)]);
        variance += (value - mean) * (value - mean) / static_cast<double>(size);
      }
      const auto channel = static_cast<size_t>(at[1]);
      return (input.at(at) - mean) / std::sqrt(variance + static_cast<double>(0.01F)) *
                 static_cast<double>(scale[channel]) +
             static_cast<double>(shift[channel]);
    });
  }
}

}  // namespace shingle::tests
