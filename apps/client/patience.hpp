// How long a peer may be silent before it counts as lost.
#pragma once

#include <optional>

#include "runtime/node/node.hpp"

namespace shingle {

inline constexpr const char* patience_help =
    "seconds of silence after which a peer counts as lost (default: 0.4; up to 1.5 for a peer that "
    "often pauses)";

// With a value from the user, `least` and `most` are both that value.
struct Patience {
  Duration least = std::chrono::milliseconds(400);
  Duration most = std::chrono::milliseconds(1500);
};
Patience patience_of(std::optional<double> seconds);

}  // namespace shingle
