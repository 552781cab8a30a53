#include "devices/measure/profile_fit.hpp"

#include <algorithm>
#include <cmath>

namespace shingle {

namespace {

double worst_error(const std::vector<Sample>& samples, double per_call, double slope) {
  double worst = 0.0;
  for (const Sample& each : samples)
    worst = std::max(worst, std::abs((per_call + slope * each.work) / each.nanoseconds - 1.0));
  return worst;
}

}  // namespace

// Minimises the sum of ((a + b x) / t - 1)^2: linear in a and b with u = 1/t, v = x/t.
FittedCost fit(const std::vector<Sample>& samples) {
  double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
  for (const Sample& each : samples) {
    const double u = 1.0 / each.nanoseconds, v = each.work / each.nanoseconds;
    uu += u * u;
    uv += u * v;
    vv += v * v;
    u1 += u;
    v1 += v;
  }
  const double determinant = uu * vv - uv * uv;
  double per_call = 0.0, slope = v1 / vv;
  if (determinant > 1e-9 * uu * vv) {
    per_call = (u1 * vv - v1 * uv) / determinant;
    slope = (v1 * uu - u1 * uv) / determinant;
  }
  if (per_call < 0.0) per_call = 0.0, slope = v1 / vv;
  if (slope < 0.0) per_call = 0.0, slope = v1 / vv;
  return {per_call, slope, worst_error(samples, per_call, slope)};
}

}  // namespace shingle
