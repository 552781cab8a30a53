// The tests that count and do not pass, each with the reason.
#pragma once

#include <optional>
#include <string_view>

namespace shingle::conformance {

// Why this test is not expected to pass; none: it is. Some are in one release of ONNX only.
std::optional<std::string_view> expected_failure(std::string_view folder, std::string_view name);

}  // namespace shingle::conformance
