#include "devices/files/suggest.hpp"

#include <algorithm>

namespace shingle {

// Optimal string alignment: row i holds the distances between the first i letters of `source` and
// every beginning of `target`; the two rows before are all that a swap needs.
size_t edit_distance(std::string_view source, std::string_view target) {
  const size_t width = target.size() + 1;
  std::vector<size_t> before(width), above(width), row(width);
  for (size_t j = 0; j < width; ++j) row[j] = j;
  for (size_t i = 1; i <= source.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (size_t j = 1; j < width; ++j) {
      const size_t replaced = above[j - 1] + (source[i - 1] == target[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      const bool swapped =
          i > 1 && j > 1 && source[i - 1] == target[j - 2] && source[i - 2] == target[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[width - 1];
}

std::optional<std::string> nearest(std::string_view typed, const std::vector<std::string>& known) {
  std::optional<std::string> best;
  size_t best_distance = std::max<size_t>(2, typed.size() / 3) + 1;
  for (const std::string& word : known) {
    const size_t distance = edit_distance(typed, word);
    if (distance >= best_distance) continue;
    best = word;
    best_distance = distance;
  }
  return best;
}

}  // namespace shingle
