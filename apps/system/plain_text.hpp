// Text from files that others made, for terminals and pictures.
#pragma once

#include <string>
#include <string_view>

namespace shingle {

// The text as UTF-8 whose control characters (C0, DEL, C1) and marks that turn the direction of
// writing are blanks; what is longer than max_bytes is cut between characters and ends in "...".
std::string plain_text(std::string_view text, size_t max_bytes);

}  // namespace shingle
