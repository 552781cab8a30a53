// Makes text from foreign files safe to print on terminals and in pictures.
#pragma once

#include <string>
#include <string_view>

namespace shingle {

// Replaces control characters (C0, DEL, C1) and marks that change the direction of writing by
// blanks. A text longer than max_bytes is cut between two UTF-8 characters and ends in "...".
std::string plain_text(std::string_view text, size_t max_bytes);

// The text without the byte order mark that some editors put before it (EF BB BF).
std::string_view without_byte_order_mark(std::string_view text);

}  // namespace shingle
