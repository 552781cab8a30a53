// Fits the planner's formula (partition/cluster/node_profile.hpp) for one kind of layer to measured
// times.
#pragma once

#include <array>
#include <vector>

#include "partition/cluster/node_profile.hpp"

namespace shingle {

// What some layers do: the factors of WorkCost's figures.
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
