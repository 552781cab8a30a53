// Fits the two figures of the planner's formula, ns_per_call + work * slope, to measured times.
#pragma once

#include <vector>

namespace shingle {

// A measurement of one layer, whole or as a tile. `work`: MACs or elements, whichever its kind is
// charged by.
struct Sample {
  double work = 0.0;
  double nanoseconds = 0.0;
};

struct FittedCost {
  double per_call = 0.0, slope = 0.0;
  double worst_error = 0.0;  // the largest relative error of a sample
};

// Least squares of the relative errors. Neither figure is negative. REQUIRES: samples not empty;
// work and nanoseconds positive.
FittedCost fit(const std::vector<Sample>& samples);

}  // namespace shingle
