// What is to be known of the processor that this program runs on.
#pragma once

#include <optional>
#include <string>

namespace shingle {

// What whoever starts it should know of this processor: that it has no fused multiply-adds, so
// computes more slowly and in an arithmetic class of its own. None where there is nothing to say.
std::optional<std::string> processor_warning();

}  // namespace shingle
