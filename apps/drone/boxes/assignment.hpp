// Assignment: pairs of rows and columns with the least total cost, and a limit for each pair. The
// tracker pairs tracks with detections by it, the scores pair true with found boxes.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/drone/boxes/matrix.hpp"

namespace shingle::drone {

struct Pair {
  size_t row = 0, column = 0;
  friend bool operator==(const Pair&, const Pair&) = default;
};

// The pairs that make the sum of (cost - limit) least, each row and column at most once, by row.
// No pair costs `limit` or more. This is what lapjv(extend_cost=True, cost_limit=limit) minimises:
// there each row and each column that stays alone costs limit / 2. A pair above the limit takes
// nothing from others, unlike with a limit that is applied to a complete assignment afterwards.
//
// REQUIRES: finite costs. Hungarian method with shortest augmenting paths (Jonker and Volgenant
// 1987); time grows with min(rows, columns)^2 * max(rows, columns).
std::vector<Pair> cheapest_pairs(const Matrix& costs, double limit);

}  // namespace shingle::drone
