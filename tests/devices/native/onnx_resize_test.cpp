// Resize in the modes that are made up of choices and weights, against ONNX's formulas.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

// One axis of a Resize: where output `o` looks.
using Coordinate = std::function<double(int64_t o, int64_t in, int64_t out)>;

double half_pixel(int64_t o, int64_t in, int64_t out) {
  return (static_cast<double>(o) + 0.5) * static_cast<double>(in) / static_cast<double>(out) - 0.5;
}
double asymmetric(int64_t o, int64_t in, int64_t out) {
  return static_cast<double>(o * in) / static_cast<double>(out);
}
double align_corners(int64_t o, int64_t in, int64_t out) {
  return out == 1 ? 0.0 : static_cast<double>(o * (in - 1)) / static_cast<double>(out - 1);
}

int64_t held(int64_t i, int64_t size) { return i < 0 ? 0 : i >= size ? size - 1 : i; }

double keys(double a, double d) {
  d = std::abs(d);
  if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

struct Cubic {
  double a;
  bool exclude_outside;

  // The weighted mean of value(i) for the inputs around `at`.
  template <class Value>
  double operator()(double at, int64_t size, Value value) const {
    double sum = 0.0, weights = 0.0;
    for (int64_t i = static_cast<int64_t>(std::floor(at)) - 3; static_cast<double>(i) < at + 3;
         ++i) {
      const double weight = keys(a, at - static_cast<double>(i));
      if (exclude_outside && (i < 0 || i >= size)) continue;
      weights += weight;
      sum += weight * value(held(i, size));
    }
    return exclude_outside ? sum / weights : sum;
  }
};

Array resized_to(const Array& input, const Dims& sizes, networks::OnnxAttributes attributes,
                 const std::vector<float>& roi = {}) {
  OnnxGraph graph;
  std::vector<std::string> operands{"", "", graph.integers(sizes)};
  if (!roi.empty()) operands[0] = graph.floats({static_cast<int64_t>(roi.size())}, roi);
  return run_onnx(graph, {.op = "Resize", .attributes = std::move(attributes)}, input, operands);
}

}  // namespace

TEST_CASE("Cubic resizing weighs four inputs along each axis, as Keys wrote it") {
  const Array input = random_array({1, 3, 8, 6}, 1);
  const std::pair<const char*, Coordinate> coordinates[] = {
      {"half_pixel", half_pixel}, {"asymmetric", asymmetric}, {"align_corners", align_corners}};
  for (const auto& [name, coordinate] : coordinates) {
    for (const bool exclude : {false, true}) {
      for (const Dims& dims : {Dims{1, 3, 13, 9}, Dims{1, 3, 5, 6}, Dims{1, 3, 8, 2}}) {
        CAPTURE(name);
        CAPTURE(exclude);
        const float a = exclude ? -0.5F : -0.75F;
        const Array computed = resized_to(input, dims,
                                          {{"mode", "cubic"},
                                           {"coordinate_transformation_mode", std::string(name)},
                                           {"cubic_coeff_a", a},
                                           {"exclude_outside", int64_t{exclude}}});
        const Cubic cubic{static_cast<double>(a), exclude};
        check_everywhere(computed, dims, [&](const Dims& at) {
          return cubic(coordinate(at[2], 8, dims[2]), 8, [&](int64_t y) {
            return cubic(coordinate(at[3], 6, dims[3]), 6, [&](int64_t x) {
              return input.at({0, at[1], y, x});
            });
          });
        });
      }
    }
  }
}

TEST_CASE("A part of the map is resized, and what lies off the map has its own value") {
  const Array input = random_array({1, 2, 9, 7}, 2);
  // Rows from -2 to 5.2 of 0..8, columns from 5.4 back to 0.6 of 0..6.
  const std::vector<float> roi{0, 0, -0.25F, 0.9F, 1, 1, 0.65F, 0.1F};
  const Dims dims{1, 2, 10, 8};
  const auto place = [&](size_t axis, int64_t o) {
    const double start = static_cast<double>(roi[axis]), end = static_cast<double>(roi[4 + axis]);
    const auto last = static_cast<double>(input.dims[axis] - 1);
    const auto steps = static_cast<double>(dims[axis] - 1);
    return start * last + static_cast<double>(o) * (end - start) * last / steps;
  };
  for (const char* mode : {"linear", "nearest"}) {
    CAPTURE(mode);
    const Array computed = resized_to(input, dims,
                                      {{"mode", std::string(mode)},
                                       {"coordinate_transformation_mode", "tf_crop_and_resize"},
                                       {"extrapolation_value", 7.5F}},
                                      roi);
    check_everywhere(
        computed, dims,
        [&](const Dims& at) {
          const double y = place(2, at[2]), x = place(3, at[3]);
          if (y < 0 || y > 8 || x < 0 || x > 6) return 7.5;
          const auto input_at = [&](double row, double column) {
            return input.at({0, at[1], static_cast<int64_t>(row), static_cast<int64_t>(column)});
          };
          if (mode == std::string("nearest")) {
            return input_at(std::ceil(y - 0.5), std::ceil(x - 0.5));
          }
          const double top = std::floor(y), left = std::floor(x), v = y - top, u = x - left;
          const double below = std::min(top + 1, 8.0), right = std::min(left + 1, 6.0);
          return (input_at(top, left) * (1 - u) + input_at(top, right) * u) * (1 - v) +
                 (input_at(below, left) * (1 - u) + input_at(below, right) * u) * v;
        },
        2e-5);
  }
}

TEST_CASE("Nearest with TensorFlow's half pixels takes the input that covers the middle") {
  const Array input = random_array({1, 3, 6, 10}, 3);
  const Dims dims{1, 3, 4, 15};
  const Array computed = resized_to(input, dims,
                                    {{"mode", "nearest"},
                                     {"coordinate_transformation_mode", "tf_half_pixel_for_nn"},
                                     {"nearest_mode", "floor"}});
  check_everywhere(computed, dims, [&](const Dims& at) {
    const auto covered = [&](size_t dim) {
      return (2 * at[dim] + 1) * input.dims[dim] / (2 * dims[dim]);
    };
    return input.at({0, at[1], covered(2), covered(3)});
  });
}

TEST_CASE("Channels and rows of features are resized too") {
  const Array input = random_array({1, 4, 3, 5}, 4);
  const networks::OnnxAttributes doubling{{"mode", "nearest"},
                                          {"coordinate_transformation_mode", "asymmetric"},
                                          {"nearest_mode", "floor"}};
  check_everywhere(resized_to(input, {1, 8, 6, 5}, doubling), {1, 8, 6, 5}, [&](const Dims& at) {
    return input.at({0, at[1] / 2, at[2] / 2, at[3]});
  });
  const Array row = random_array({1, 6}, 5);
  check_everywhere(resized_to(row, {1, 12}, doubling), {1, 12}, [&](const Dims& at) {
    return row.at({0, at[1] / 2});
  });
}

}  // namespace shingle::tests
