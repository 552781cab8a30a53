// Results on stdout, with every error seen: a full disk behind a redirection, a reader that left.
#pragma once

#include <string>

#include "partition/base/result.hpp"

namespace shingle {

Status print_result(const std::string& text);  // written and flushed

int print(const std::string& text);  // the exit code; says what failed

}  // namespace shingle
