#include "apps/drone/logs/correlation.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle::drone {

Grid grid_of(std::span<const SignalSample> signal, double begin, double step, double sigma,
             size_t count) {
  assert(step > 0.0);
  Grid grid(count);
  for (size_t at = 0; at < count; ++at)
    grid[at] = smoothed_at(signal, begin + static_cast<double>(at) * step, sigma);
  return grid;
}

GridMatch match_of(const Grid& left, const Grid& right, int64_t shift) {
  double sum_l = 0, sum_r = 0, sum_ll = 0, sum_rr = 0, sum_lr = 0;
  GridMatch match;
  const auto begin = std::max<int64_t>(0, -shift);
  const auto end =
      std::min(static_cast<int64_t>(left.size()), static_cast<int64_t>(right.size()) - shift);
  for (int64_t at = begin; at < end; ++at) {
    const auto &l = left[static_cast<size_t>(at)], &r = right[static_cast<size_t>(at + shift)];
    if (!l || !r) continue;
    ++match.count;
    sum_l += *l;
    sum_r += *r;
    sum_ll += *l * *l;
    sum_rr += *r * *r;
    sum_lr += *l * *r;
  }
  const auto n = static_cast<double>(match.count);
  const double vary_l = n * sum_ll - sum_l * sum_l, vary_r = n * sum_rr - sum_r * sum_r;
  // Below this the sums' rounding is all that varies.
  if (n < 2 || vary_l <= 1e-12 * n * sum_ll || vary_r <= 1e-12 * n * sum_rr) return match;
  match.correlation = (n * sum_lr - sum_l * sum_r) / std::sqrt(vary_l * vary_r);
  match.scale = (n * sum_lr - sum_l * sum_r) / vary_r;
  match.offset = (sum_l - match.scale * sum_r) / n;
  match.variance = vary_l / (n * n) * std::max(0.0, 1.0 - match.correlation * match.correlation);
  return match;
}

double independent_places(const Grid& left, const Grid& right, size_t count) {
  double sum = 0.0;
  for (int64_t lag = 1; lag < static_cast<int64_t>(count) / 2; ++lag) {
    const double product =
        match_of(left, left, lag).correlation * match_of(right, right, lag).correlation;
    if (product < 0.01) break;
    sum += product;
  }
  return static_cast<double>(count) / (1.0 + 2.0 * sum);
}

ShiftInformation shift_information(const Grid& left, const Grid& right, double step, size_t reach) {
  const GridMatch match = match_of(left, right, 0);
  ShiftInformation result;
  // A residual below rounding would claim to know everything.
  const double variance = std::max(match.variance, 1e-12);
  std::vector<double> scores(left.size(), 0.0);  // residual times gradient
  for (size_t at = 1; at + 1 < std::min(left.size(), right.size()); ++at) {
    if (!left[at] || !right[at - 1] || !right[at] || !right[at + 1]) continue;
    const double gradient = match.scale * (*right[at + 1] - *right[at - 1]) / (2.0 * step);
    scores[at] = gradient * (*left[at] - match.offset - match.scale * *right[at]) / variance;
    result.information += gradient * gradient / variance;
  }
  for (size_t lag = 0; lag <= reach; ++lag) {
    double sum = 0.0;
    for (size_t at = lag; at < scores.size(); ++at) sum += scores[at] * scores[at - lag];
    const double weight = 1.0 - static_cast<double>(lag) / (static_cast<double>(reach) + 1.0);
    result.score += (lag == 0 ? 1.0 : 2.0 * weight) * sum;
  }
  return result;
}

Peak peak_of(double before, double middle, double after) {
  const double bend = before - 2.0 * middle + after;
  if (bend >= 0.0) return {0.0, middle};
  const double place = std::clamp(0.5 * (before - after) / bend, -1.0, 1.0);
  return {place, middle - 0.25 * (before - after) * place};
}

double rival_of(const std::vector<double>& values, size_t best) {
  assert(best < values.size());
  size_t low = best, high = best;
  while (low > 0 && values[low - 1] < values[low]) --low;
  while (high + 1 < values.size() && values[high + 1] < values[high]) ++high;
  double rival = 0.0;
  for (size_t at = 0; at < values.size(); ++at) {
    if (at >= low && at <= high) continue;
    const bool is_inside = at > 0 && at + 1 < values.size();
    const bool is_peak = is_inside && values[at] >= values[at - 1] && values[at] >= values[at + 1];
    rival = std::max(
        rival, is_peak ? peak_of(values[at - 1], values[at], values[at + 1]).height : values[at]);
  }
  return rival;
}

}  // namespace shingle::drone
