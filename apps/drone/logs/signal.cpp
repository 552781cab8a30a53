#include "apps/drone/logs/signal.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace shingle::drone {
namespace {

constexpr double earth_radius = 6371008.8;  // mean, in m
constexpr double degree = std::numbers::pi / 180.0;

// A straight line by weighted least squares: value and slope at `origin`.
class LineFit {
 public:
  explicit LineFit(double origin) : origin_(origin) {}
  void add(double x, double y, double weight = 1.0) {
    const double dx = x - origin_;
    sum_ += weight;
    sum_x_ += weight * dx;
    sum_xx_ += weight * dx * dx;
    sum_y_ += weight * y;
    sum_xy_ += weight * dx * y;
  }
  double weight() const { return sum_; }
  double mean_x() const { return origin_ + sum_x_ / sum_; }
  double spread() const { return sum_ * sum_xx_ - sum_x_ * sum_x_; }  // 0: all x are one
  double slope() const { return (sum_ * sum_xy_ - sum_x_ * sum_y_) / spread(); }
  double value() const { return (sum_xx_ * sum_y_ - sum_x_ * sum_xy_) / spread(); }

 private:
  double origin_;
  double sum_ = 0.0, sum_x_ = 0.0, sum_xx_ = 0.0, sum_y_ = 0.0, sum_xy_ = 0.0;
};

double window_of(const Signal& values) { return std::max(0.25, 1.05 * median_step(values)); }

// Slopes where the window has at least three samples.
Signal slopes_of(const Signal& values) {
  const double window = window_of(values) + 1e-9;
  Signal slopes;
  size_t first = 0;
  for (const SignalSample& middle : values) {
    while (values[first].seconds < middle.seconds - window) ++first;
    LineFit fit(middle.seconds);
    size_t count = 0;
    for (size_t at = first; at < values.size() && values[at].seconds <= middle.seconds + window;
         ++at, ++count)
      fit.add(values[at].seconds, values[at].value);
    if (count < 3 || fit.spread() <= 0.0) continue;
    if (slopes.empty() || fit.mean_x() > slopes.back().seconds)
      slopes.push_back({fit.mean_x(), fit.slope()});
  }
  return slopes;
}

std::optional<double> yaw_of(const Telemetry& sample) {
  if (sample.gimbal_yaw) return sample.gimbal_yaw;
  if (sample.body_yaw) return *sample.body_yaw + sample.relative_yaw.value_or(0.0);
  return std::nullopt;
}

}  // namespace

double median_step(std::span<const SignalSample> signal) {
  if (signal.size() < 2) return 0.0;
  std::vector<double> steps;
  for (size_t at = 1; at < signal.size(); ++at)
    steps.push_back(signal[at].seconds - signal[at - 1].seconds);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

Signal yaw_rate_of(const Flight& flight) {
  Signal yaws;  // unrolled, so that north is no step
  for (const Telemetry& sample : flight.samples)
    if (const auto yaw = yaw_of(sample)) {
      const double before = yaws.empty() ? *yaw : yaws.back().value;
      yaws.push_back({sample.seconds, before + std::remainder(*yaw - before, 360.0)});
    }
  return slopes_of(yaws);
}

Signal ground_speed_of(const Flight& flight) {
  Signal easts, norths;
  double first_latitude = 0.0, first_longitude = 0.0;
  for (const Telemetry& sample : flight.samples) {
    if (!sample.latitude || !sample.longitude) continue;
    if (easts.empty()) {
      first_latitude = *sample.latitude;
      first_longitude = *sample.longitude;
    }
    const double east = std::remainder(*sample.longitude - first_longitude, 360.0) * degree *
                        std::cos(first_latitude * degree);
    easts.push_back({sample.seconds, earth_radius * east});
    norths.push_back({sample.seconds, earth_radius * degree * (*sample.latitude - first_latitude)});
  }
  Signal speeds = slopes_of(easts);
  const Signal northward = slopes_of(norths);  // at the same times
  for (size_t at = 0; at < speeds.size(); ++at)
    speeds[at].value = std::hypot(speeds[at].value, northward[at].value);
  return speeds;
}

std::optional<double> smoothed_at(std::span<const SignalSample> signal, double seconds,
                                  double sigma) {
  assert(sigma > 0.0);
  const double reach = 3.0 * sigma;
  const auto is_before = [](const SignalSample& sample, double time) {
    return sample.seconds < time;
  };
  auto at = std::lower_bound(signal.begin(), signal.end(), seconds - reach, is_before);
  LineFit fit(seconds);
  bool is_before_near = false, is_after_near = false;
  for (; at != signal.end() && at->seconds <= seconds + reach; ++at) {
    const double distance = at->seconds - seconds;
    fit.add(at->seconds, at->value, std::exp(-0.5 * distance * distance / (sigma * sigma)));
    is_before_near |= distance <= 0.0 && distance >= -2.0 * sigma;
    is_after_near |= distance >= 0.0 && distance <= 2.0 * sigma;
  }
  // A lone sample in the middle is no line.
  if (!is_before_near || !is_after_near || fit.spread() <= 1e-12 * fit.weight())
    return std::nullopt;
  return fit.value();
}

}  // namespace shingle::drone
