// Plane to plane maps: pictures to pictures, and pictures to the ground by points that are known on
// both. Hartley and Zisserman, Multiple View Geometry, 2nd edition, algorithm 4.2 (normalised DLT).
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle::drone {

struct PointPair {
  Eigen::Vector2d source = Eigen::Vector2d::Zero();  // e.g. pixels
  Eigen::Vector2d target = Eigen::Vector2d::Zero();  // e.g. local metres
};

struct FittedHomography {
  Eigen::Matrix3d matrix = Eigen::Matrix3d::Identity();  // source -> target
  std::vector<double> residuals{};                       // of each pair, in the target's unit
  double rms = 0.0;                                      // of the residuals
};

// Errors: fewer than four pairs, points on a line (or, of four, three on a line), a number that is
// none.
Result<FittedHomography> fit_homography(std::span<const PointPair> pairs);

// REQUIRES: the point is not on the line that the matrix sends to infinity.
Eigen::Vector2d mapped(const Eigen::Matrix3d& homography, const Eigen::Vector2d& point);

}  // namespace shingle::drone
