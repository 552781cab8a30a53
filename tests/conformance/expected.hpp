// The tests that count and are expected to fail, each with the reason.
#pragma once

#include <optional>
#include <string_view>

#include "partition/readers/onnx/file.hpp"

namespace shingle::conformance {

// The reason why the test of this name is expected to fail: its own, or that of an operator in its
// graph; nothing if it should pass. Some of the tests are in one release of ONNX only. `graph` is
// null if the file cannot be decoded.
std::optional<std::string_view> expected_failure(std::string_view name, const onnx::Graph* graph);

}  // namespace shingle::conformance
