// Improvement: local search from a first draft, judged by simulation.
//
//   - Sweeps over the blocks, each kind of move (moves.hpp) tried on each; before or after them
//     changes of all blocks at once. What makes the score lower is kept at once.
//   - Then moves drawn by a seeded generator.
//   - It ends when what it may simulate is used up, or when nothing helps any more.
#pragma once

#include <limits>

#include "partition/search/candidates.hpp"
#include "partition/search/draft.hpp"
#include "partition/search/score.hpp"

namespace shingle {

struct Improved {
  Draft draft;
  double score = std::numeric_limits<double>::max();  // as score() says
  double value = std::numeric_limits<double>::max();  // as value_of() says
  int32_t trials = 0;
};

struct Effort {
  int64_t allowance = 0;  // of Workshop::spent(); 0: the draft is judged, nothing more
  bool wide_first = false;
  Leaning leaning{};
};

Improved improve(Workshop& workshop, const Borders& borders, Draft draft, const Effort& effort);

}  // namespace shingle
