// For "Did you mean ...?": the known word that is most similar to the one that was typed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingle {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
size_t edit_distance(std::string_view source, std::string_view target);

// The known word with the smallest distance; the first one if several have it. None if the distance
// is more than a third of the typed word's length and more than two edits.
std::optional<std::string> nearest(std::string_view typed, const std::vector<std::string>& known);

}  // namespace shingle
