// How fast the picture moves, as signals that a log can be compared with.
#pragma once

#include <Eigen/Core>
#include <span>

#include "apps/drone/logs/signal.hpp"

namespace shingle::drone {

// The motion between two pictures: pixels of the first -> pixels of the second.
struct PictureStep {
  double before = 0.0, now = 0.0;  // seconds; now > before
  Eigen::Matrix3d motion = Eigen::Matrix3d::Identity();
};

// At the picture's middle, each at the middle of its step's time.
struct MotionRates {
  Signal across{}, along{};  // pixels a second, to the right and down
  Signal turn{};             // radians a second, clockwise in the picture
};

MotionRates rates_of(std::span<const PictureStep> steps, double width, double height);

}  // namespace shingle::drone
