// Which of ONNX's tests count, and which inputs of a test are parameters and not data. Every test
// counts but those that are excluded by name, each with its reason: operators (exclusions.hpp),
// training, three spatial dimensions, and inputs or outputs that are no tensors of float, half,
// bfloat16, double, int32, int64 or bool.
#pragma once

#include <optional>
#include <string>

#include "tests/conformance/case.hpp"

namespace shingle::conformance {

// The reason why the test of this name does not count; nothing if it counts.
std::optional<std::string> left_out(std::string_view name, const onnx::File& file);

// True if the input serves only as weights, shape, pads, scales, axes or indices. Such an input
// becomes a constant before the file is loaded.
bool is_parameter(const onnx::Graph& graph, std::string_view input);

// The graph's inputs without an initializer. A data set has a value for each of them, in this
// order.
std::vector<const onnx::ValueInfo*> fed_inputs(const onnx::Graph& graph);

// The opset that the file is read with: its own, but at least 6 if no operator of the file has
// changed since opset 1. (ONNX's tests of such operators have opset 1; shingle reads opsets from 6
// on.)
int64_t readable_opset(const onnx::File& file);

}  // namespace shingle::conformance
