// What ONNX's opsets from 18 on say in another way, or say at all.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxAttributes;
using networks::OnnxGraph;

// One dim resized by a filter: weight(distance) of every element within reach, made to sum to 1.
double filtered(const std::function<double(int64_t)>& element, int64_t size, double at,
                double reach, const std::function<double(double)>& weight, bool outside_too) {
  double sum = 0.0, weights = 0.0;
  for (auto i = static_cast<int64_t>(std::floor(at - reach)); static_cast<double>(i) <= at + reach;
       ++i) {
    const bool outside = i < 0 || i >= size;
    if (outside && !outside_too) continue;
    const double w = weight(static_cast<double>(i) - at);
    sum += w * element(std::min(std::max<int64_t>(i, 0), size - 1));
    weights += w;
  }
  return sum / weights;
}

double cubic(double d) {
  constexpr double a = -0.75;
  d = std::abs(d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0.0;
}

}  // namespace

TEST_CASE("Every reduction takes its axes as an input from opset 18 on") {
  const Array input = random_array({1, 3, 5, 4}, 1);
  for (const char* op : {"ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2",
                         "ReduceSum", "ReduceSumSquare", "ReduceLogSumExp", "ReduceProd"}) {
    CAPTURE(op);
    OnnxGraph graph, old;
    const Array computed = run_onnx(graph, {.op = op, .opset = 18}, input, {graph.integers({2})});
    const Array expected =
        op == std::string("ReduceSum")
            ? run_onnx(old, {.op = op, .opset = 13}, input, {old.integers({2})})
            : run_onnx(old, {.op = op, .attributes = {{"axes", Dims{2}}}, .opset = 13}, input);
    CHECK(computed.dims == Dims{1, 3, 1, 4});
    CHECK(computed.values == expected.values);
  }
}

TEST_CASE("Empty axes reduce everything, or nothing where the file says so") {
  const Array input = random_array({1, 3, 5, 4}, 2);
  OnnxGraph graph, none;
  CHECK(run_onnx(graph, {.op = "ReduceMax", .opset = 18}, input, {graph.integers({})}).dims ==
        Dims{1, 1, 1, 1});
  const Array same = run_onnx(
      none, {.op = "ReduceMax", .attributes = {{"noop_with_empty_axes", int64_t{1}}}, .opset = 18},
      input, {none.integers({})});
  CHECK(same.values == input.values);
}

TEST_CASE("Split into a number of parts makes the last one smaller") {
  const Array input = random_array({1, 7, 4, 3}, 3);
  OnnxGraph graph;
  graph.node_with_outputs("Split", {"in"}, {{"axis", int64_t{1}}, {"num_outputs", int64_t{3}}},
                          {"a", "b", "c"});
  const std::string last = graph.node("Concat", {"c", "a", "b"}, {{"axis", int64_t{1}}});
  check_everywhere(run_onnx(graph, last, input, 18), input.dims, [&](const Dims& at) {
    return input.at({0, (at[1] + 6) % 7, at[2], at[3]});
  });
}

TEST_CASE("Pad names its axes, and wraps the map round") {
  const Array input = random_array({1, 3, 5, 4}, 4);
  OnnxGraph graph;
  const Array wrapped =
      run_onnx(graph, {.op = "Pad", .attributes = {{"mode", std::string("wrap")}}, .opset = 19},
               input, {graph.integers({2, 1, 7, 3}), "", graph.integers({-1, 2})});
  check_everywhere(wrapped, {1, 3, 9, 13}, [&](const Dims& at) {
    return input.at({0, at[1], (at[2] + 4) % 5, (at[3] + 2) % 4});
  });
}

TEST_CASE("Pooling windows have gaps") {
  const Array input = random_array({1, 2, 11, 9}, 5);
  const OnnxAttributes window{
      {"kernel_shape", Dims{3, 2}}, {"dilations", Dims{2, 3}}, {"strides", Dims{2, 1}}};
  OnnxGraph graph;
  check_everywhere(run_onnx(graph, {.op = "AveragePool", .attributes = window, .opset = 19}, input),
                   {1, 2, 4, 6}, [&](const Dims& at) {
                     double sum = 0.0;
                     for (int64_t i = 0; i < 6; ++i)
                       sum += input.at({0, at[1], at[2] * 2 + i / 2 * 2, at[3] + i % 2 * 3});
                     return sum / 6.0;
                   });
  OnnxGraph powers;
  OnnxAttributes rounded_up = window;
  rounded_up.push_back({"ceil_mode", int64_t{1}});
  check_everywhere(run_onnx(powers, {.op = "LpPool", .attributes = rounded_up, .opset = 18}, input),
                   {1, 2, 4, 6}, [&](const Dims& at) {
                     double sum = 0.0;
                     for (int64_t i = 0; i < 6; ++i) {
                       const int64_t y = at[2] * 2 + i / 2 * 2;
                       if (y >= 11) continue;
                       const double x = input.at({0, at[1], y, at[3] + i % 2 * 3});
                       sum += x * x;
                     }
                     return std::sqrt(sum);
                   });
}

TEST_CASE("LpPool rounds the number of its windows up where it is told to") {
  const Array input = random_array({1, 2, 6, 7}, 6);
  OnnxGraph graph;
  const OnnxAttributes window{
      {"kernel_shape", Dims{3, 3}}, {"strides", Dims{2, 3}}, {"ceil_mode", int64_t{1}}};
  check_everywhere(run_onnx(graph, {.op = "LpPool", .attributes = window, .opset = 18}, input),
                   {1, 2, 3, 3}, [&](const Dims& at) {
                     double sum = 0.0;
                     for (int64_t i = 0; i < 9; ++i) {
                       const int64_t y = at[2] * 2 + i / 3, x = at[3] * 3 + i % 3;
                       if (y < 6 && x < 7) sum += std::pow(input.at({0, at[1], y, x}), 2.0);
                     }
                     return std::sqrt(sum);
                   });
}

TEST_CASE("A resize against aliasing stretches its filter over what it leaves out") {
  const Array input = random_array({1, 2, 12, 10}, 7);
  for (const char* mode : {"linear", "cubic"}) {
    for (const int64_t exclude : {0, 1}) {
      CAPTURE(mode);
      CAPTURE(exclude);
      const bool linear = mode == std::string("linear");
      OnnxGraph graph;
      const Array computed = run_onnx(graph,
                                      {.op = "Resize",
                                       .attributes = {{"mode", std::string(mode)},
                                                      {"antialias", int64_t{1}},
                                                      {"exclude_outside", exclude},
                                                      {"axes", Dims{2}}},
                                       .opset = 18},
                                      input, {"", graph.floats({1}, {0.4F})});
      const double stretch = 1.0 / static_cast<double>(0.4F), half = linear ? 1.0 : 2.0;
      check_everywhere(
          computed, {1, 2, 4, 10},
          [&](const Dims& at) {
            const double place = (static_cast<double>(at[2]) + 0.5) * stretch - 0.5;
            return filtered(
                [&](int64_t y) {
                  return input.at({0, at[1], y, at[3]});
                },
                12, place, half * stretch,
                [&](double d) {
                  d /= stretch;
                  return linear ? std::max(0.0, 1.0 - std::abs(d)) : cubic(d);
                },
                exclude == 0);
          },
          1e-4);
    }
  }
}

TEST_CASE("A resize that keeps the aspect ratio takes one scale for all axes that it names") {
  const Array input = random_array({1, 2, 8, 6}, 8);
  for (const char* policy : {"not_larger", "not_smaller"}) {
    CAPTURE(policy);
    OnnxGraph graph;
    const Array computed =
        run_onnx(graph,
                 {.op = "Resize",
                  .attributes = {{"mode", std::string("nearest")},
                                 {"axes", Dims{3, 2}},
                                 {"keep_aspect_ratio_policy", std::string(policy)}},
                  .opset = 18},
                 input, {"", "", graph.integers({12, 12})});
    const bool larger = policy == std::string("not_smaller");
    CHECK(computed.dims == (larger ? Dims{1, 2, 16, 12} : Dims{1, 2, 12, 9}));
  }
}

TEST_CASE("A resize that is symmetric leaves the middle in the middle") {
  const Array input = random_array({1, 1, 4, 10}, 9);
  OnnxGraph graph;
  const Array computed = run_onnx(
      graph,
      {.op = "Resize",
       .attributes = {{"mode", std::string("linear")},
                      {"coordinate_transformation_mode", std::string("half_pixel_symmetric")}},
       .opset = 19},
      input, {"", graph.floats({4}, {1, 1, 1, 0.55F})});
  check_everywhere(computed, {1, 1, 4, 5}, [&](const Dims& at) {
    const double scale = static_cast<double>(0.55F), rounded = 5.0 / (scale * 10.0);
    const double place = 5.0 * (1.0 - rounded) + (static_cast<double>(at[3]) + 0.5) / scale - 0.5;
    const double below = std::floor(place), part = place - below;
    const auto left = static_cast<int64_t>(below);
    return input.at({0, 0, at[2], left}) * (1 - part) + input.at({0, 0, at[2], left + 1}) * part;
  });
}

}  // namespace shingle::tests
