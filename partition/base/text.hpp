// A file's names as text that terminals, logs and JSON can bear.
#pragma once

#include <string>
#include <string_view>

namespace shingle {

// Control characters, and bytes that make no UTF-8, become '?'; about `longest` bytes are kept: the
// character that crosses the limit is the last.
std::string readable(std::string_view text, size_t longest = 200);

std::string quoted(std::string_view text);  // 'text', readable

}  // namespace shingle
