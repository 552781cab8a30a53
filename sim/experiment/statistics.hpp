// Statistics over independent runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shingle::sim {

// The t for which a variable of Student's distribution is at most t with this probability.
// REQUIRES: 0.5 <= probability < 1, degrees >= 1.
double student_t_quantile(double probability, int32_t degrees);

// The mean of independent values, and the half-width of its 95 % confidence interval.
struct Interval {
  double mean = 0.0, half_width = 0.0;
  size_t values = 0;
};
Interval interval_of(const std::vector<double>& values);  // of one value: half_width 0

// The nearest-rank quantile. REQUIRES: ascending, not empty.
double quantile(const std::vector<double>& sorted, double share);

}  // namespace shingle::sim
