// The Kalman filter of a track's box, as SORT's successors have it (DeepSORT, ByteTrack): the state
// is centre x, centre y, aspect ratio w/h, height, and how each of them changes in a frame. Noise
// is proportional to the height, so near and far objects are alike.
// Source: Wojke et al. 2017, Zhang et al. 2022 (arXiv:2110.06864).
#pragma once

#include <Eigen/Core>

#include "apps/drone/boxes/pixel_box.hpp"

namespace shingle::drone {

using BoxVector = Eigen::Matrix<double, 4, 1>;  // centre x, centre y, w/h, h
using StateVector = Eigen::Matrix<double, 8, 1>;
using StateMatrix = Eigen::Matrix<double, 8, 8>;

struct BoxState {
  StateVector mean = StateVector::Zero();
  StateMatrix covariance = StateMatrix::Zero();
};

// REQUIRES: the box has a height above 0.
BoxVector measurement_of(const PixelBox& box);
PixelBox box_of(const BoxState& state);

// The state of a new track: it stands still, with a large variance of its velocities.
BoxState first_state(const PixelBox& box);

// `steps` later: 1 for the next frame. A fraction, or more than one, where frames are not equally
// far apart; the noise that is added grows with the time (variance proportional to `steps`).
// REQUIRES: steps > 0.
void predict(BoxState& state, double steps = 1.0);

// The box was seen at `box`. REQUIRES: it has a height above 0.
void correct(BoxState& state, const PixelBox& box);

}  // namespace shingle::drone
