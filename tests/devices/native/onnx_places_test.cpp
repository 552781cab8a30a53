// GridSample and AffineGrid, held against ONNX's definition, and places that are no places.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

struct Sampling {
  std::string mode = "linear", padding = "zeros";
  bool align = false;
  int64_t opset = 20;
};

networks::OnnxAttributes attributes_of(const Sampling& how) {
  return {{"mode", how.mode},
          {"padding_mode", how.padding},
          {"align_corners", int64_t{how.align ? 1 : 0}}};
}

// As often as it takes, back and forth between two mirrors.
double reflected(double at, double low, double high) {
  if (high <= low) return 0.0;
  while (at < low || at > high) at = at < low ? 2.0 * low - at : 2.0 * high - at;
  return at;
}

double cubic(double distance) {
  const double a = -0.75, d = std::abs(distance);
  if (d <= 1.0) return (a + 2.0) * d * d * d - (a + 3.0) * d * d + 1.0;
  return d < 2.0 ? a * d * d * d - 5.0 * a * d * d + 8.0 * a * d - 4.0 * a : 0.0;
}

// One axis of the map: the weight of each of its pixels at a coordinate.
struct Line {
  const Sampling& how;
  int64_t size;

  std::vector<double> weights(double coordinate) const {
    const auto count = static_cast<double>(size);
    const double low = how.align ? 0.0 : -0.5, high = how.align ? count - 1.0 : count - 0.5;
    double at = low + (coordinate + 1.0) / 2.0 * (high - low);
    if (how.mode == "nearest") at = std::nearbyint(at);
    if (at < low || at > high) {
      if (how.padding == "border") at = std::min(std::max(at, 0.0), count - 1.0);
      if (how.padding == "reflection") at = reflected(at, low, high);
    }
    std::vector<double> weights(static_cast<size_t>(size), 0.0);
    const double below = std::floor(at);
    for (double tap = below - 1.0; tap <= below + 2.0; tap += 1.0) {
      double pixel = tap;
      if (how.padding == "border") pixel = std::min(std::max(tap, 0.0), count - 1.0);
      if (how.padding == "reflection" && (tap < 0.0 || tap > count - 1.0))
        pixel = reflected(tap, low, high);
      if (pixel < 0.0 || pixel > count - 1.0) continue;
      weights[static_cast<size_t>(pixel)] += weight(at - tap);
    }
    return weights;
  }

  double weight(double distance) const {
    if (how.mode == "nearest") return distance == 0.0 ? 1.0 : 0.0;
    if (how.mode == "cubic" || how.mode == "bicubic") return cubic(distance);
    return std::max(0.0, 1.0 - std::abs(distance));
  }
};

double sampled(const Sampling& how, const Array& map, const Array& grid, const Dims& at) {
  const double x = grid.at({at[0], at[2], at[3], 0}), y = grid.at({at[0], at[2], at[3], 1});
  const std::vector<double> columns = Line{how, map.dims[3]}.weights(x);
  const std::vector<double> rows = Line{how, map.dims[2]}.weights(y);
  double sum = 0.0;
  for (size_t row = 0; row < rows.size(); ++row) {
    for (size_t column = 0; column < columns.size(); ++column) {
      const Dims pixel{at[0], at[1], static_cast<int64_t>(row), static_cast<int64_t>(column)};
      sum += rows[row] * columns[column] * map.at(pixel);
    }
  }
  return sum;
}

// Places up to three times as far from the middle as the map's ends.
Array random_places(const Dims& dims) {
  Array grid = random_array(dims, 2);
  for (float& place : grid.values) place *= 3.0F;
  return grid;
}

void check(const Sampling& how, const Dims& map_dims = {1, 3, 5, 7}) {
  CAPTURE(how.mode);
  CAPTURE(how.padding);
  CAPTURE(how.align);
  const Array map = random_array(map_dims, 1), grid = random_places({map_dims[0], 6, 4, 2});
  const auto exact = [&](const Dims& at) { return sampled(how, map, grid, at); };
  const Dims dims{map_dims[0], map_dims[1], 6, 4};
  OnnxGraph known;
  check_everywhere(
      run_onnx(known, {.op = "GridSample", .attributes = attributes_of(how), .opset = how.opset},
               map, {known.floats(grid.dims, grid.values)}),
      dims, exact, 1e-4);
  Array both{{}, map.values};
  both.values.insert(both.values.end(), grid.values.begin(), grid.values.end());
  both.dims = {static_cast<int64_t>(both.values.size())};
  OnnxGraph graph;
  const std::string values = part_of_input(graph, map.dims, 0);
  const std::string places =
      part_of_input(graph, grid.dims, static_cast<int64_t>(map.values.size()));
  const std::string last = graph.node("GridSample", {values, places}, attributes_of(how));
  check_everywhere(run_onnx(graph, last, both, how.opset), dims, exact, 1e-4);
}

const char* const paddings[] = {"zeros", "border", "reflection"};

}  // namespace

TEST_CASE("A map is read at places in each mode, whatever lies off it") {
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    for (const char* padding : paddings) {
      for (const bool align : {false, true}) {
        check({.mode = mode, .padding = padding, .align = align});
        check({.mode = mode, .padding = padding, .align = align}, {1, 2, 1, 2});
      }
    }
  }
}

TEST_CASE("Each map of a batch is read at the places of its own grid") {
  check({.mode = "linear"}, {3, 2, 5, 7});
  check({.mode = "nearest", .padding = "border", .align = true}, {2, 1, 4, 3});
}

TEST_CASE("Opset 16 has other names for the modes") {
  check({.mode = "bilinear", .opset = 16});
  check({.mode = "bicubic", .padding = "border", .opset = 16});
}

TEST_CASE("A place that is no number reads as off the map, and so does one at infinity") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Array input = random_array({1, 2, 3, 4}, 3);
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    for (const char* padding : paddings) {
      for (const float bad : {nan, infinity, -infinity, 3e38F, -3e38F}) {
        CAPTURE(mode);
        CAPTURE(padding);
        CAPTURE(bad);
        OnnxGraph graph;
        const std::string grid = graph.floats({1, 1, 2, 2}, {bad, bad, -1.0F, -1.0F});
        const Array computed = run_onnx(
            graph,
            {.op = "GridSample",
             .attributes = attributes_of({.mode = mode, .padding = padding, .align = true}),
             .opset = 20},
            input, {grid});
        CHECK(computed.at({0, 0, 0, 1}) == doctest::Approx(input.at({0, 0, 0, 0})));
        const bool high = bad > 1.0F && std::string(padding) == "border";
        const double corner = high ? input.at({0, 0, 2, 3}) : input.at({0, 0, 0, 0});
        const bool known = std::isfinite(bad) && std::string(padding) == "reflection";
        if (known) continue;  // anywhere on the map
        const double expected = std::string(padding) == "zeros" ? 0.0 : corner;
        CHECK(computed.at({0, 0, 0, 0}) == doctest::Approx(expected));
      }
    }
  }
}

TEST_CASE("AffineGrid moves a regular grid by a matrix, constant or not") {
  for (const bool align : {false, true}) {
    for (const Dims& size : {Dims{2, 1, 4, 5}, Dims{2, 1, 1, 3}}) {
      const Array theta = random_array({2, 2, 3}, 4);
      const auto exact = [&](const Dims& at) {
        const auto place = [&](int64_t index, int64_t count) {
          const double full = static_cast<double>(count), i = static_cast<double>(index);
          if (count == 1) return 0.0;
          return align ? -1.0 + 2.0 * i / (full - 1.0) : -1.0 + (2.0 * i + 1.0) / full;
        };
        return theta.at({at[0], at[3], 0}) * place(at[2], size[3]) +
               theta.at({at[0], at[3], 1}) * place(at[1], size[2]) + theta.at({at[0], at[3], 2});
      };
      const Dims dims{2, size[2], size[3], 2};
      OnnxGraph graph;
      const OneNode node{.op = "AffineGrid",
                         .attributes = {{"align_corners", int64_t{align ? 1 : 0}}},
                         .opset = 20};
      check_everywhere(run_onnx(graph, node, theta, {graph.integers(size)}), dims, exact);
      OnnxGraph known;
      const std::string grid =
          known.node("AffineGrid", {known.floats(theta.dims, theta.values), known.integers(size)},
                     node.attributes);
      const Array zeros{dims, std::vector<float>(static_cast<size_t>(4 * size[2] * size[3]), 0.0F)};
      check_everywhere(run_onnx(known, known.node("Add", {"in", grid}), zeros, 20), dims, exact);
    }
  }
}

}  // namespace shingle::tests
