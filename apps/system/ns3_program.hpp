// Where the program shingle-ns3 lies (sim/ns3/README.md).
#pragma once

#include <string>

#include "partition/base/result.hpp"

namespace shingle {

// $SHINGLE_NS3 if it is set, else beside this process's program, else in the folders of $PATH. The
// error says how to get it.
Result<std::string> ns3_program();

}  // namespace shingle
