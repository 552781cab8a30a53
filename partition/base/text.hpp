// Makes names from files safe to print in terminals, logs and JSON.
#pragma once

#include <string>
#include <string_view>

namespace shingle {

// Replaces control characters and invalid UTF-8 by '?'. Keeps about `longest` bytes: the character
// that crosses the limit is the last one.
std::string readable(std::string_view text, size_t longest = 200);

std::string in_quotes(std::string_view text);  // 'text', readable

}  // namespace shingle
