// From measured times to the two figures of the planner's formula, ns_per_call + work * slope.
#pragma once

#include <vector>

namespace shingle {

// One layer, whole or as a tile: `work` is what its kind is charged by.
struct Sample {
  double work = 0.0;
  double nanoseconds = 0.0;
};

struct FittedCost {
  double per_call = 0.0, slope = 0.0;
  double worst_error = 0.0;  // of a sample, relative
};

// Least squares of the relative errors. REQUIRES: samples not empty, work and nanoseconds positive.
// Neither figure is negative.
FittedCost fit(const std::vector<Sample>& samples);

}  // namespace shingle
