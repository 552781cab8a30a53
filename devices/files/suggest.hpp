// "Did you mean ...?": the nearest of the words that the program knows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingle {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
size_t edit_distance(std::string_view source, std::string_view target);

// The known word with the smallest distance, the first of equals; none when it is further away than
// a third of the typed word's length (two edits at least).
std::optional<std::string> nearest(std::string_view typed, const std::vector<std::string>& known);

}  // namespace shingle
