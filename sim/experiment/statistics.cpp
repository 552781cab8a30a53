#include "sim/experiment/statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace shingle::sim {

namespace {

// P(|T| < t). Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4: finite
// sums in cos(atan(t / sqrt(degrees))).
double central_probability(double t, int32_t degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1.0, sum = odd && degrees == 1 ? 0.0 : term;
  for (int32_t k = odd ? 3 : 2; k <= degrees - 2; k += 2) {
    term *= cosine * cosine * static_cast<double>(k - 1) / static_cast<double>(k);
    sum += term;
  }
  return odd ? 2.0 / std::numbers::pi * (angle + sine * sum) : sine * sum;
}

}  // namespace

double student_t_quantile(double probability, int32_t degrees) {
  assert(probability >= 0.5 && probability < 1.0 && degrees >= 1);
  const double wanted = 2.0 * probability - 1.0;
  double low = 0.0, high = 1.0;
  while (central_probability(high, degrees) < wanted) high *= 2.0;
  for (int halvings = 0; halvings < 80; ++halvings) {
    const double middle = 0.5 * (low + high);
    (central_probability(middle, degrees) < wanted ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

Interval interval_of(const std::vector<double>& values) {
  Interval interval{.values = values.size()};
  if (values.empty()) return interval;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) interval.mean += value / count;
  if (values.size() < 2) return interval;
  double squares = 0.0;
  for (const double value : values) squares += (value - interval.mean) * (value - interval.mean);
  const double deviation = std::sqrt(squares / (count - 1.0));
  interval.half_width = student_t_quantile(0.975, static_cast<int32_t>(values.size()) - 1) *
                        deviation / std::sqrt(count);
  return interval;
}

double quantile(const std::vector<double>& sorted, double share) {
  assert(!sorted.empty());
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  const auto place = static_cast<size_t>(std::max(1.0, rank)) - 1;
  return sorted[std::min(place, sorted.size() - 1)];
}

}  // namespace shingle::sim
