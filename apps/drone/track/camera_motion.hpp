// How the picture moved since the frame before: where a point of that frame is in this one.
#pragma once

#include <Eigen/Core>

#include "apps/drone/boxes/pixel_box.hpp"
#include "apps/drone/track/box_filter.hpp"

namespace shingle::drone {

// From pixels of the previous frame to pixels of this one; an affine motion has the last row 0 0 1.
using Homography = Eigen::Matrix3d;

double determinant_of(const Homography& motion);

// The way back. REQUIRES: the determinant is not 0.
Homography inverse_of(const Homography& motion);

// False where the motion sends the box's surroundings to infinity or turns them inside out: then
// nothing may be moved by it.
bool can_move(const Homography& motion, const PixelBox& box);

// A track's state as seen by the moved camera. The centre goes where its point goes; velocities are
// turned and scaled by the motion's derivative there, heights by the root of its determinant. The
// aspect ratio stays: boxes do not turn. The covariance follows. REQUIRES: can_move(its box).
void move(BoxState& state, const Homography& motion);

// A box the same way. REQUIRES: can_move().
PixelBox moved(const PixelBox& box, const Homography& motion);

}  // namespace shingle::drone
