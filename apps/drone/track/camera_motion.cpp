#include "apps/drone/track/camera_motion.hpp"

#include <Eigen/LU>
#include <cassert>
#include <cmath>

namespace shingle::drone {
namespace {

constexpr double least_weight = 1e-6;  // of a point in homogeneous coordinates; 0 is at infinity

// Where a point goes, and how its surroundings are turned and scaled.
struct LocalMotion {
  Eigen::Vector2d point = Eigen::Vector2d::Zero();
  Eigen::Matrix2d derivative = Eigen::Matrix2d::Identity();
  double scale = 1.0;
};

double weight_at(const Homography& motion, double x, double y) {
  return motion(2, 0) * x + motion(2, 1) * y + motion(2, 2);
}

LocalMotion local_motion(const Homography& motion, double x, double y) {
  const double weight = weight_at(motion, x, y);
  LocalMotion local;
  local.point = (motion * Eigen::Vector3d(x, y, 1.0)).head<2>() / weight;
  local.derivative =
      (motion.topLeftCorner<2, 2>() - local.point * motion.bottomLeftCorner<1, 2>()) / weight;
  local.scale = std::sqrt(std::abs(local.derivative.determinant()));
  return local;
}

}  // namespace

double determinant_of(const Homography& motion) { return motion.determinant(); }

Homography inverse_of(const Homography& motion) {
  assert(motion.determinant() != 0.0);
  return motion.inverse();
}

bool can_move(const Homography& motion, const PixelBox& box) {
  if (!motion.allFinite()) return false;
  for (const double x : {box.x, box.right()})
    for (const double y : {box.y, box.bottom()})
      if (weight_at(motion, x, y) < least_weight) return false;
  const LocalMotion local = local_motion(motion, box.x + box.w / 2.0, box.y + box.h / 2.0);
  return local.derivative.determinant() > 0.0 && local.scale > 1e-3 && local.scale < 1e3;
}

void move(BoxState& state, const Homography& motion) {
  const LocalMotion local = local_motion(motion, state.mean(0), state.mean(1));
  assert(local.derivative.determinant() > 0.0);
  StateMatrix change = StateMatrix::Identity();
  for (const int half : {0, 4}) {  // positions, then velocities
    change.block<2, 2>(half, half) = local.derivative;
    change(half + 3, half + 3) = local.scale;
  }
  state.mean = change * state.mean;
  state.mean.head<2>() = local.point;
  state.covariance = change * state.covariance * change.transpose();
}

PixelBox moved(const PixelBox& box, const Homography& motion) {
  const LocalMotion local = local_motion(motion, box.x + box.w / 2.0, box.y + box.h / 2.0);
  const double width = box.w * local.scale, height = box.h * local.scale;
  return {local.point.x() - width / 2.0, local.point.y() - height / 2.0, width, height};
}

}  // namespace shingle::drone
