// Fits the planner's formula (partition/cluster/node_profile.hpp) for one kind of layer to measured
// times.
#pragma once

#include <vector>

#include "partition/cluster/node_profile.hpp"

namespace shingle {

// The work of some layers. Each figure is multiplied by one of WorkCost.
struct WorkDone {
  double macs = 0.0, elements = 0.0, weights = 0.0, calls = 0.0;
};
struct Sample {
  WorkDone work{};
  double nanoseconds = 0.0;
};

struct FittedCost {
  WorkCost cost{};           // without a granule
  double worst_error = 0.0;  // the largest relative error of a sample
};

// Least squares of the relative errors. No figure is negative. REQUIRES: samples not empty;
// nanoseconds positive.
FittedCost fit(const std::vector<Sample>& samples);

}  // namespace shingle
