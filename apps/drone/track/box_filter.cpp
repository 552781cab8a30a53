#include "apps/drone/track/box_filter.hpp"

#include <Eigen/Cholesky>
#include <cassert>
#include <cmath>

namespace shingle::drone {
namespace {

constexpr double position_weight = 1.0 / 20.0, velocity_weight = 1.0 / 160.0;  // of the height
constexpr double ratio_deviation = 1e-2, ratio_velocity_deviation = 1e-5;
constexpr double measured_ratio_deviation = 1e-1;

StateMatrix diagonal_of(const StateVector& deviations) {
  return deviations.array().square().matrix().asDiagonal();
}

StateVector deviations(double height, double position, double velocity) {
  const double place = position * position_weight * height;
  const double speed = velocity * velocity_weight * height;
  StateVector all;
  all << place, place, ratio_deviation, place, speed, speed, ratio_velocity_deviation, speed;
  return all;
}

}  // namespace

BoxVector measurement_of(const PixelBox& box) {
  assert(box.h > 0.0);
  return {box.x + box.w / 2.0, box.y + box.h / 2.0, box.w / box.h, box.h};
}

PixelBox box_of(const BoxState& state) {
  const double height = state.mean(3), width = state.mean(2) * height;
  return {state.mean(0) - width / 2.0, state.mean(1) - height / 2.0, width, height};
}

BoxState first_state(const PixelBox& box) {
  BoxState state;
  state.mean.head<4>() = measurement_of(box);
  state.covariance = diagonal_of(deviations(box.h, 2.0, 10.0));
  return state;
}

void predict(BoxState& state, double steps) {
  assert(steps > 0.0);
  const StateMatrix noise = diagonal_of(deviations(state.mean(3), 1.0, 1.0)) * steps;
  StateMatrix motion = StateMatrix::Identity();
  motion.topRightCorner<4, 4>().diagonal().setConstant(steps);
  state.mean = motion * state.mean;
  state.covariance = motion * state.covariance * motion.transpose() + noise;
}

void correct(BoxState& state, const PixelBox& box) {
  const double place = position_weight * state.mean(3);
  BoxVector deviation;
  deviation << place, place, measured_ratio_deviation, place;
  Eigen::Matrix4d innovation = state.covariance.topLeftCorner<4, 4>();
  innovation.diagonal() += deviation.array().square().matrix();
  // The gain is P H' S^-1: solved with S's Cholesky factor, since S is symmetric.
  const Eigen::Matrix<double, 8, 4> gain =
      innovation.llt().solve(state.covariance.topRows<4>()).transpose();
  state.mean += gain * (measurement_of(box) - state.mean.head<4>());
  const StateMatrix lost = gain * innovation * gain.transpose();
  state.covariance -= lost;
}

}  // namespace shingle::drone
