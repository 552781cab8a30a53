// How alike signals on grids of equal steps are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "apps/drone/logs/signal.hpp"

namespace shingle::drone {

using Grid = std::vector<std::optional<double>>;  // values at equal steps; none: not known

// smoothed_at at `count` places from `begin` on, every `step` seconds.
Grid grid_of(std::span<const SignalSample> signal, double begin, double step, double sigma,
             size_t count);

struct GridMatch {
  size_t count = 0;          // places where both are known
  double correlation = 0.0;  // Pearson's; 0 if one of them does not vary
  // left is about offset + scale right, and leaves `variance` at each place.
  double offset = 0.0, scale = 0.0, variance = 0.0;
};
GridMatch match_of(const Grid& left, const Grid& right,
                   int64_t shift);  // left[i], right[i + shift]

// How many independent places `count` are worth: count / (1 + 2 sum of both autocorrelations'
// product), summed while that is above 0.01 (Bartlett 1935).
double independent_places(const Grid& left, const Grid& right, size_t count);

// How well `left` fixes right's shift: the score's variance and the information, in 1 / s^2. The
// shift's variance is score / information^2; sums over several pairs stay so. `step` in seconds;
// residuals are correlated over `reach` places.
struct ShiftInformation {
  double score = 0.0, information = 0.0;
};
ShiftInformation shift_information(const Grid& left, const Grid& right, double step, size_t reach);

// A peak of equally spaced values: a parabola through three of them.
struct Peak {
  double place = 0.0;  // in steps from the middle one, -1 to 1
  double height = 0.0;
};
Peak peak_of(double before, double middle, double after);

// The highest peak besides that at `best`, which ends where values begin to rise again. 0: none.
double rival_of(const std::vector<double>& values, size_t best);

}  // namespace shingle::drone
