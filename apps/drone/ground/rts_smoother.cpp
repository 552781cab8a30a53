#include "apps/drone/ground/rts_smoother.hpp"

#include <cassert>
#include <cmath>
#include <numbers>

namespace shingle::drone {
namespace {

// Before it was seen a vehicle may have any speed and acceleration that vehicles have, and be
// anywhere: the first observation alone says where.
constexpr double place_sigma = 100.0, speed_sigma = 20.0, acceleration_sigma = 2.5;

using SeenRow = Eigen::Matrix<double, 1, axis_states>;
SeenRow seen_row() { return {1.0, 0.0, 0.0, 1.0, 0.0}; }  // position + wander

Eigen::Matrix2d spread_of_wander(const MotionNoise& noise) {
  const double rate = 1.0 / noise.wander_seconds, variance = noise.wander_m * noise.wander_m;
  return Eigen::Vector2d(variance, rate * rate * variance).asDiagonal();
}

Eigen::Matrix2d motion_of_wander(double t, const MotionNoise& noise) {
  const double rate = 1.0 / noise.wander_seconds;
  Eigen::Matrix2d motion;
  motion << 1.0 + rate * t, t, -rate * rate * t, 1.0 - rate * t;
  return std::exp(-rate * t) * motion;
}

AxisMatrix motion_in(double t, const MotionNoise& noise) {
  AxisMatrix motion = AxisMatrix::Zero();
  motion.topLeftCorner<3, 3>() << 1, t, t * t / 2, 0, 1, t, 0, 0, 1;
  motion.bottomRightCorner<2, 2>() = motion_of_wander(t, noise);
  return motion;
}

AxisMatrix noise_in(double t, const MotionNoise& noise) {
  AxisMatrix added = AxisMatrix::Zero();
  const double t2 = t * t, t3 = t2 * t;
  added.topLeftCorner<3, 3>() << t3 * t2 / 20, t2 * t2 / 8, t3 / 6, t2 * t2 / 8, t3 / 3, t2 / 2,
      t3 / 6, t2 / 2, t;
  added *= noise.jerk;
  // As much as keeps the wander's spread.
  const Eigen::Matrix2d spread = spread_of_wander(noise), motion = motion_of_wander(t, noise);
  added.bottomRightCorner<2, 2>() = spread - motion * spread * motion.transpose();
  return added;
}

AxesState before_all(const GroundObservation& first, const MotionNoise& noise) {
  AxesState state;
  state.mean.row(0) = first.position.transpose();
  state.covariance.diagonal().head<3>() << place_sigma * place_sigma, speed_sigma * speed_sigma,
      acceleration_sigma * acceleration_sigma;
  state.covariance.bottomRightCorner<2, 2>() = spread_of_wander(noise);
  return state;
}

// Two axes, one innovation covariance: the log density of both.
double log_density(const Eigen::RowVector2d& miss, double variance) {
  return -std::log(2.0 * std::numbers::pi * variance) - 0.5 * miss.squaredNorm() / variance;
}

}  // namespace

FilteredTrack filtered(std::span<const GroundObservation> track, const MotionNoise& noise) {
  assert(!track.empty() && noise.position_m > 0.0 && noise.wander_seconds > 0.0);
  const SeenRow seen = seen_row();
  FilteredTrack out;
  out.steps.resize(track.size());
  AxesState now = before_all(track[0], noise);
  for (size_t i = 0; i < track.size(); ++i) {
    FilteredStep& at = out.steps[i];
    if (i > 0) {
      const double t = track[i].seconds - track[i - 1].seconds;
      assert(t > 0.0);
      at.motion = motion_in(t, noise);
      now.mean = at.motion * now.mean;
      now.covariance = at.motion * now.covariance * at.motion.transpose() + noise_in(t, noise);
    }
    at.predicted = now;
    const AxisVector shared = now.covariance * seen.transpose();
    at.variance = seen.dot(shared) + noise.position_m * noise.position_m;
    at.miss = track[i].position.transpose() - seen * now.mean;
    at.gain = shared / at.variance;
    if (i > 0) out.log_likelihood += log_density(at.miss, at.variance);
    now.mean += at.gain * at.miss;
    now.covariance -= at.gain * shared.transpose();
    at.corrected = now;
  }
  return out;
}

std::vector<AxesState> smoothed(const FilteredTrack& track) {
  const SeenRow seen = seen_row();
  // What all later observations say against the prediction, and how surely they say it.
  AxesMeans against = AxesMeans::Zero();
  AxisMatrix surely = AxisMatrix::Zero();
  std::vector<AxesState> states(track.steps.size());
  for (size_t i = track.steps.size(); i-- > 0;) {
    const FilteredStep& at = track.steps[i];
    const AxisMatrix unseen = AxisMatrix::Identity() - at.gain * seen;
    const AxisMatrix& covariance = at.corrected.covariance;
    states[i] = {at.corrected.mean - covariance * against,
                 covariance - covariance * surely * covariance};
    against = unseen.transpose() * against - seen.transpose() * at.miss / at.variance;
    surely = unseen.transpose() * surely * unseen + seen.transpose() * seen / at.variance;
    against = (at.motion.transpose() * against).eval();
    surely = (at.motion.transpose() * surely * at.motion).eval();
  }
  return states;
}

}  // namespace shingle::drone
