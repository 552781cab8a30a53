// Graphs whose outputs have sizes that depend on the input, read and run.
#pragma once

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

// The values `names` of a graph whose only input is `input`, cut to what counts. Runs on both
// executors, whole and in random tiles: all bits must be equal.
std::vector<Array> run_counted(networks::OnnxGraph& graph, const std::vector<std::string>& names,
                               const Array& input, int64_t opset = 13);

// Of one value.
Array run_counted(networks::OnnxGraph& graph, const std::string& name, const Array& input,
                  int64_t opset = 13);

}  // namespace shingle::tests
