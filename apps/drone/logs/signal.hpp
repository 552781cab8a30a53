// How fast something moves, as samples in the order of time: what a log and a video have in common.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "apps/drone/logs/flight.hpp"

namespace shingle::drone {

struct SignalSample {
  double seconds = 0.0;
  double value = 0.0;
};
using Signal = std::vector<SignalSample>;

// How fast the camera turns about the vertical, in degrees a second, clockwise positive: the slope
// of a straight line through the yaw of the samples within a quarter of a second (of slower logs:
// of three samples), at the mean of their times. The yaw is the gimbal's, else the body's and the
// relative one together. Empty: the log knows neither.
Signal yaw_rate_of(const Flight& flight);

// How fast the aircraft moves over ground, in m/s, likewise from latitude and longitude.
Signal ground_speed_of(const Flight& flight);

// The signal's value at `seconds`: that of a straight line through the samples near by, weighted by
// a Gaussian of `sigma` seconds. None: the samples do not reach around `seconds`.
std::optional<double> smoothed_at(std::span<const SignalSample> signal, double seconds,
                                  double sigma);

double median_step(std::span<const SignalSample> signal);  // seconds; 0: fewer than two samples

}  // namespace shingle::drone
