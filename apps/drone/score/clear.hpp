// The CLEAR measures: misses, false boxes and identity switches, frame by frame. A pair of the
// frame before stays a pair while it overlaps enough; then the overlap decides.
// Source: Bernardin and Stiefelhagen 2008; fields and rounding as TrackEval has them, to compare.
#pragma once

#include <cstdint>

#include "apps/drone/score/sequence.hpp"

namespace shingle::drone {

struct ClearCounts {
  uint64_t hits = 0, misses = 0, false_boxes = 0, switches = 0;
  uint64_t mostly_tracked = 0, partly_tracked = 0, mostly_lost = 0;  // true objects
  uint64_t fragments = 0;  // how often true objects were found again after a gap
  uint64_t frames = 0;     // 0 for a sequence without true or without found boxes, as in TrackEval
  double overlap_sum = 0.0;
  ClearCounts& operator+=(const ClearCounts& other);
};
ClearCounts clear_counts(const Sequence& sequence);

// Ratios from counts.
struct ClearFigures {
  double mota = 0.0, motp = 0.0, moda = 0.0, smota = 0.0, motal = 0.0;
  double recall = 0.0, precision = 0.0, f1 = 0.0, false_per_frame = 0.0;
  double mostly_tracked = 0.0, partly_tracked = 0.0, mostly_lost = 0.0;  // shares
};
ClearFigures figures_of(const ClearCounts& counts);  // of one sequence
// Figures of the sum of several sequences. They differ from those of one sequence in one case: for
// a single sequence without true or without found boxes TrackEval computes no ratios, and counts
// all of its objects as lost.
ClearFigures combined_figures_of(const ClearCounts& counts);

}  // namespace shingle::drone
