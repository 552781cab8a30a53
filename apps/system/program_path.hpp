// Where a program lies that is named without a folder.
#pragma once

#include <string>
#include <string_view>

namespace shingle {

// In the folders of $PATH; empty: not there.
std::string program_in_path(std::string_view name);

}  // namespace shingle
