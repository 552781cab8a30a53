// How users write the share of the tiles that are computed twice.
#pragma once

#include <optional>
#include <string>

namespace shingle {

// Of a text as "2%" or "0.02"; none if it is neither.
std::optional<double> audit_share(const std::string& text);

}  // namespace shingle
