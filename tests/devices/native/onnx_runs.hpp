// A graph of a few ONNX nodes, read and run, and its result held against a formula over dims.
#pragma once

#include <functional>
#include <vector>

#include "tests/devices/tile_runs.hpp"
#include "tests/networks/onnx_graph.hpp"

namespace shingle::tests {

using Dims = std::vector<int64_t>;

// Elements in the file's (row-major) order.
struct Array {
  Dims dims;
  std::vector<float> values;
  double at(const Dims& index) const;
};

Array random_array(const Dims& dims, uint64_t seed);

// The same times `scale`, rounded: of few values if it is small, so that many are equal.
Array random_whole_array(const Dims& dims, uint64_t seed, float scale);

// The elements of the flat input "in" from `begin` on, as an array of `dims`. So one input holds
// several operands.
std::string part_of_input(networks::OnnxGraph& graph, const Dims& dims, int64_t begin);

// Calls visit(index) for every element of an array of `dims`, in order.
void for_each_index(const Dims& dims, const std::function<void(const Dims&)>& visit);

// The graph's value `last`, where the graph's only input is `input`. Runs on both executors, whole
// and in random tiles: tiles must have the whole's bits, and the executors agree.
Array run_onnx(networks::OnnxGraph& graph, const std::string& last, const Array& input,
               int64_t opset = 13);

// The same of one node on the graph's input "in" and further operands of the graph.
struct OneNode {
  const char* op;
  networks::OnnxAttributes attributes = {};
  int64_t opset = 13;
};
Array run_onnx(networks::OnnxGraph& graph, const OneNode& node, const Array& input,
               std::vector<std::string> operands = {});

using Formula = std::function<double(const Dims& index)>;
void check_everywhere(const Array& computed, const Dims& dims, const Formula& exact,
                      double tolerance = 1e-5);

}  // namespace shingle::tests
