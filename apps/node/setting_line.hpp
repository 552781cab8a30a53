// Changes one value in a settings file that people edit: all other lines and comments stay.
#pragma once

#include <string>
#include <string_view>

namespace shingle {

// The text with `name = value`: in the line that has it, whose comment stays; else in a new line at
// the end. `value` as the file is to have it, with the quotes of a string. A line that is commented
// out is a comment. REQUIRES: values of that name take one line.
std::string with_setting(std::string_view text, std::string_view name, std::string_view value);

}  // namespace shingle
