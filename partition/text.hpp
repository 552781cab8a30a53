// A file's names as text that terminals, logs and JSON can bear.
#pragma once

#include <string>
#include <string_view>

namespace shingle {

// Control characters, and bytes that make no UTF-8, become '?'; at most 200 bytes are kept.
std::string readable(std::string_view text);

std::string quoted(std::string_view text);  // 'text', readable

}  // namespace shingle
