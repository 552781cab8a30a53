// Which of ONNX's tests count, and what of a test's inputs is a parameter rather than data. The
// rule, in code:
//
//   the file's opset is at most the newest that shingle reads (a newer release of ONNX says newer
//   ones); every operator is one that shingle promises to read; what is left of the inputs once the
//   parameters are bound, at least one, and every output are tensors of f32 with at most 4
//   dimensions.
#pragma once

#include <optional>
#include <string>

#include "tests/conformance/case.hpp"

namespace shingle::conformance {

// Why the test does not count; none where it does.
std::optional<std::string> left_out(const onnx::File& file);

// An input that only ever stands where ONNX has weights, shapes, pads, scales, axes or indices:
// bound as a constant before the file is loaded.
bool is_parameter(const onnx::Graph& graph, std::string_view input);

// The graph's inputs that no initializer gives: those that a data set has values for, in its order.
std::vector<const onnx::ValueInfo*> fed_inputs(const onnx::Graph& graph);

// The oldest opset in which every operator of the file reads as it does in the file's own. The
// tests of operators that were never changed since opset 1 say 1, and shingle reads 6 and up.
int64_t readable_opset(const onnx::File& file);

}  // namespace shingle::conformance
