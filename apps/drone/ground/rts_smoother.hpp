// A Kalman filter forwards and a pass backwards over positions in local metres, by stream time: the
// estimates of Rauch, Tung and Striebel (1965), in Bierman's form (1973, "Fixed interval smoothing
// with discrete measurements"), which inverts no matrix (Bar-Shalom, Li, Kirubarajan 2001,
// sections 6.2.3 and 8.6).
//
// State of each axis: position, velocity, acceleration, wander, its change. The jerk is white noise
// of density `jerk`. What is observed is position + wander + white noise: a box is not drawn anew
// in each frame, it lies a little too far to one side for a while, because of a shadow, a turn of
// the vehicle, or the picture's own motion. The wander is smooth and comes back to 0: the Matern
// process of order 3/2 (Rasmussen and Williams 2006, section 4.2.1; as a state: Hartikainen and
// Sarkka 2010, "Kalman filtering and smoothing solutions to temporal Gaussian process regression
// models"). East and north have the same covariance, so that it is computed once for both.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "apps/drone/ground/gaussian_speed.hpp"

namespace shingle::drone {

struct MotionNoise {
  double position_m = 0.1;      // sigma of what is new in each observation, each axis; above 0
  double jerk = 1.0;            // m^2/s^5
  double wander_m = 0.0;        // sigma of the wander, each axis; 0: none
  double wander_seconds = 0.5;  // its time constant; above 0
};

inline constexpr int axis_states = 5;
using AxisMatrix = Eigen::Matrix<double, axis_states, axis_states>;
using AxisVector = Eigen::Matrix<double, axis_states, 1>;
using AxesMeans = Eigen::Matrix<double, axis_states, 2>;  // columns: east, north

struct AxesState {
  AxesMeans mean = AxesMeans::Zero();
  AxisMatrix covariance = AxisMatrix::Zero();  // of each column
};

// An observation after the pass forwards, with what the pass backwards needs.
struct FilteredStep {
  AxisMatrix motion = AxisMatrix::Identity();  // from the observation before
  AxesState predicted{}, corrected{};
  AxisVector gain = AxisVector::Zero();
  Eigen::RowVector2d miss = Eigen::RowVector2d::Zero();  // observed - predicted
  double variance = 0.0;                                 // of the miss
};

struct FilteredTrack {
  std::vector<FilteredStep> steps{};  // one for each observation
  double log_likelihood = 0.0;        // of the observations, given the noise
};

// REQUIRES: at least one observation; times grow.
FilteredTrack filtered(std::span<const GroundObservation> track, const MotionNoise& noise);

// One state for each observation, by those before and after it. The last is the filter's own.
std::vector<AxesState> smoothed(const FilteredTrack& track);

}  // namespace shingle::drone
