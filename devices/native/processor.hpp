// A warning about the processor that this program runs on.
#pragma once

#include <optional>
#include <string>

namespace shingle {

// A warning for the user if this processor has no fused multiply-adds: it computes more slowly and
// in a different arithmetic class. None if it has them.
std::optional<std::string> processor_warning();

}  // namespace shingle
