// Where the program of local workers lies.
#pragma once

#include <string>

#include "partition/base/result.hpp"

namespace shingle {

// `wanted`, else $SHINGLE_NODE, else shingle-node beside this library's programs, where it was
// installed, or in $PATH. The sentence says how to name it.
Result<std::string> node_program(const std::string& wanted);

}  // namespace shingle
