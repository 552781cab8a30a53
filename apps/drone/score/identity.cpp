#include "apps/drone/score/identity.hpp"

#include <algorithm>

namespace shingle::drone {

IdentityCounts& IdentityCounts::operator+=(const IdentityCounts& other) {
  hits += other.hits, misses += other.misses, false_boxes += other.false_boxes;
  return *this;
}

IdentityCounts identity_counts(const Sequence& sequence) {
  // A pair saves a missed and a false box for each box that both share, so the cheapest pairs are
  // those that share most.
  Matrix costs(sequence.true_ids, sequence.found_ids);
  for (const ScoredFrame& frame : sequence.frames)
    for (size_t row = 0; row < frame.truth.size(); ++row)
      for (size_t column = 0; column < frame.found.size(); ++column)
        if (frame.overlaps.at(row, column) >= match_overlap)
          costs.at(frame.truth[row], frame.found[column]) -= 1.0;
  IdentityCounts counts;
  for (const Pair& pair : cheapest_pairs(costs, 0.0))
    counts.hits += static_cast<uint64_t>(-costs.at(pair.row, pair.column));
  counts.misses = sequence.true_boxes - counts.hits;
  counts.false_boxes = sequence.found_boxes - counts.hits;
  return counts;
}

IdentityFigures figures_of(const IdentityCounts& counts) {
  const double hits = static_cast<double>(counts.hits);
  const double misses = static_cast<double>(counts.misses);
  const double false_boxes = static_cast<double>(counts.false_boxes);
  return {.f1 = hits / std::max(1.0, hits + 0.5 * misses + 0.5 * false_boxes),
          .recall = hits / std::max(1.0, hits + misses),
          .precision = hits / std::max(1.0, hits + false_boxes)};
}

}  // namespace shingle::drone
