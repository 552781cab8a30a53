// The operators whose tests do not count, each with the reason.
#pragma once

#include <optional>
#include <string_view>

namespace shingle::conformance {

// None: the operator's tests count. `domain`: empty is ONNX's own.
std::optional<std::string_view> excluded(std::string_view domain, std::string_view op);

// It slides over a map or looks at places of it, which may have two spatial dimensions.
bool is_spatial_operator(std::string_view op);

}  // namespace shingle::conformance
