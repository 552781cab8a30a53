// ONNX operators that are a few element-wise ones, and normalisations over any dims.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxGraph;

// Mean and variance of the elements whose index agrees with `at` in the dims before `axis`.
std::pair<double, double> moments_from(const Array& array, const Dims& at, size_t axis) {
  const auto kept = static_cast<ptrdiff_t>(axis);
  double count = 0.0, sum = 0.0, squares = 0.0;
  for_each_index(array.dims, [&](const Dims& other) {
    if (!std::equal(at.begin(), at.begin() + kept, other.begin())) return;
    const double value = array.at(other);
    count += 1.0;
    sum += value;
    squares += value * value;
  });
  const double mean = sum / count;
  return {mean, squares / count - mean * mean};
}

}  // namespace

TEST_CASE("Functions that are written with others") {
  Array input = random_array({1, 3, 7, 5}, 1);
  for (float& value : input.values) value *= 4.0F;
  const auto exact = [](const std::string& op, double x) {
    if (op == "Selu") return x > 0 ? 1.2 * x : 1.2 * 0.7 * (std::exp(x) - 1);
    if (op == "Celu") return std::max(0.0, x) + std::min(0.0, 0.7 * (std::exp(x / 0.7) - 1));
    if (op == "Softsign") return x / (1 + std::abs(x));
    return std::erf(x);
  };
  for (const char* op : {"Selu", "Celu", "Softsign", "Erf"}) {
    CAPTURE(op);
    networks::OnnxAttributes attributes;
    if (op == std::string("Selu")) attributes = {{"alpha", 0.7F}, {"gamma", 1.2F}};
    if (op == std::string("Celu")) attributes = {{"alpha", 0.7F}};
    OnnxGraph graph;
    check_everywhere(run_onnx(graph, {.op = op, .attributes = attributes}, input), input.dims,
                     [&](const Dims& at) { return exact(op, input.at(at)); });
  }
}

TEST_CASE("A layer's result stays as it was where another node's function reads it twice") {
  const Array input = random_array({1, 2, 4, 4}, 2);
  OnnxGraph graph;
  const std::string sum = graph.node("Add", {"in", graph.scalar(-0.5F)});
  check_everywhere(run_onnx(graph, graph.node("Softsign", {sum}), input), input.dims,
                   [&](const Dims& at) {
                     const double x = input.at(at) - 0.5;
                     return x / (1 + std::abs(x));
                   });
}

TEST_CASE("A mean of values, constants among them") {
  const Array input = random_array({1, 2, 3, 4}, 3);
  OnnxGraph graph;
  const std::string row = graph.floats({4}, {1, 2, 3, 4}), number = graph.scalar(7.0F);
  check_everywhere(
      run_onnx(graph, {.op = "Mean"}, input, {row, number}), input.dims,
      [&](const Dims& at) { return (input.at(at) + static_cast<double>(at[3] + 1) + 7.0) / 3.0; });
}

TEST_CASE("Layer normalisation takes the last dims together, whichever they are") {
  for (const Dims& dims : {Dims{1, 4, 6, 5}, Dims{1, 7, 8}}) {
    const Array input = random_array(dims, 4);
    for (size_t axis = 1; axis < dims.size(); ++axis) {
      CAPTURE(axis);
      const Dims last(dims.begin() + static_cast<ptrdiff_t>(axis), dims.end());
      Array scale = random_array(last, 5), shift = random_array(last, 6);
      OnnxGraph graph;
      const Array computed =
          run_onnx(graph,
                   {.op = "LayerNormalization",
                    .attributes = {{"axis", static_cast<int64_t>(axis)}, {"epsilon", 0.02F}},
                    .opset = 17},
                   input, {graph.floats(last, scale.values), graph.floats(last, shift.values)});
      check_everywhere(computed, dims, [&](const Dims& at) {
        const Dims inner(at.begin() + static_cast<ptrdiff_t>(axis), at.end());
        const auto [mean, variance] = moments_from(input, at, axis);
        return (input.at(at) - mean) / std::sqrt(variance + 0.02) * scale.at(inner) +
               shift.at(inner);
      });
    }
  }
}

TEST_CASE("Mean and variance are taken out of each channel") {
  const Array input = random_array({1, 3, 5, 6}, 7);
  OnnxGraph graph;
  check_everywhere(run_onnx(graph, OneNode{.op = "MeanVarianceNormalization"}, input), input.dims,
                   [&](const Dims& at) {
                     const auto [mean, variance] = moments_from(input, at, 2);
                     return (input.at(at) - mean) / std::sqrt(variance);
                   });
}

}  // namespace shingle::tests
