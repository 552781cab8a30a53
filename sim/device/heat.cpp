#include "sim/device/heat.hpp"

#include <cmath>

#include "devices/plain/double_math.hpp"

namespace shingle::sim {
namespace {

constexpr double longest_ns = 9e17;       // 30 years; a Duration holds 292
constexpr double longest_exponent = 600;  // of natural_exp(); e^-600 of a difference is nothing

}  // namespace

void HeatModel::pass(Duration time, double watts) {
  if (time <= Duration::zero()) return;
  const double end = end_celsius(watts), constant = time_constant_ns();
  const double passed = constant > 0.0 ? in_nanoseconds(time) / constant : longest_exponent;
  const double left =
      passed < longest_exponent ? double_math::natural_exp(-passed) : 0.0;  // of the difference
  celsius_ = end + (celsius_ - end) * left;
}

std::optional<Duration> HeatModel::time_until(double celsius, double watts) const {
  const double end = end_celsius(watts), from = end - celsius_, to = end - celsius;
  if (celsius == celsius_) return Duration::zero();
  if (to == 0.0 || from / to <= 1.0) return std::nullopt;
  const double ns = time_constant_ns() * double_math::natural_log(from / to);
  if (!(ns < longest_ns)) return std::nullopt;
  return Duration(static_cast<int64_t>(std::ceil(ns)));
}

}  // namespace shingle::sim
