// Improvement: local search from a first draft, judged by simulation.
//
//   - Sweeps over the blocks: each kind of move (moves.hpp) is tried on each block. Before or after
//     a sweep, changes of all blocks at once are tried. A lower score is kept at once.
//   - Then moves drawn by a seeded generator.
//   - The search ends when its allowance is used up, or when no move helps.
#pragma once

#include <limits>

#include "partition/search/candidates.hpp"
#include "partition/search/draft.hpp"
#include "partition/search/score.hpp"

namespace shingle {

struct Improved {
  Draft draft;
  double value = std::numeric_limits<double>::max();  // see value_of()
  double waste = 0.0;                                 // see waste()
  int32_t trials = 0;
};

struct Effort {
  int64_t allowance = 0;  // in units of Workshop::spent(); 0: the draft is only evaluated
  bool wide_first = false;
  double waste_weight = 1.0;                               // see score()
  double most_value = std::numeric_limits<double>::max();  // of what is kept
};

Improved improve(Workshop& workshop, const Borders& borders, Draft draft, const Effort& effort);

}  // namespace shingle
