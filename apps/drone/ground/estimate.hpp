// A measured value with its 95 % interval: value - half_width to value + half_width.
#pragma once

namespace shingle::drone {

struct Estimate {
  double value = 0.0;
  double half_width = 0.0;  // in the value's unit, at least 0
};

inline constexpr double sigmas_of_95 = 1.959964;  // a normal distribution has 95 % within these

inline bool covers(const Estimate& estimate, double truth) {
  return truth >= estimate.value - estimate.half_width &&
         truth <= estimate.value + estimate.half_width;
}

}  // namespace shingle::drone
