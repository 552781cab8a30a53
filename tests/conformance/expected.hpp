// The tests that count and are expected to fail, each with the reason.
#pragma once

#include <optional>
#include <string_view>

namespace shingle::conformance {

// The reason why this test is expected to fail; nothing if it should pass. Some of the tests are in
// one release of ONNX only.
std::optional<std::string_view> expected_failure(std::string_view folder, std::string_view name);

}  // namespace shingle::conformance
