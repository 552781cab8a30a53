// Suppression: of objects that say the same thing the best one stays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace shingle {

// Best first; equal scores keep their order. facts(T) has `class_id` and `score`. REQUIRES: no
// score is NaN.
template <class T, class Facts>
void best_first(std::vector<T>& found, Facts facts) {
  std::stable_sort(found.begin(), found.end(),
                   [&](const T& a, const T& b) { return facts(a).score > facts(b).score; });
}

// Greedy, within each class: an object goes when a better one of its class overlaps it by more than
// `max_overlap`. At most the best `most`, best first. REQUIRES: as best_first().
template <class T, class Facts, class Overlap>
std::vector<T> suppressed(std::vector<T> found, float max_overlap, size_t most, Facts facts,
                          Overlap overlap) {
  best_first(found, facts);
  std::vector<T> kept;
  for (T& candidate : found) {
    if (kept.size() == most) break;
    const bool repeated = std::any_of(kept.begin(), kept.end(), [&](const T& better) {
      return facts(better).class_id == facts(candidate).class_id &&
             overlap(better, candidate) > max_overlap;
    });
    if (!repeated) kept.push_back(std::move(candidate));
  }
  return kept;
}

}  // namespace shingle
