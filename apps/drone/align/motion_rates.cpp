#include "apps/drone/align/motion_rates.hpp"

#include <cassert>
#include <cmath>

namespace shingle::drone {

MotionRates rates_of(std::span<const PictureStep> steps, double width, double height) {
  MotionRates rates;
  const Eigen::Vector3d middle(width / 2.0, height / 2.0, 1.0);
  for (const PictureStep& step : steps) {
    const double seconds = step.now - step.before;
    assert(seconds > 0.0);
    const Eigen::Vector3d moved = step.motion * middle;
    const Eigen::Vector2d there = moved.head<2>() / moved.z();
    const Eigen::Matrix2d turned =
        (step.motion.topLeftCorner<2, 2>() - there * step.motion.bottomLeftCorner<1, 2>()) /
        moved.z();
    const double at = (step.before + step.now) / 2.0;
    const double angle = std::atan2(turned(1, 0) - turned(0, 1), turned(0, 0) + turned(1, 1));
    rates.across.push_back({at, (there.x() - middle.x()) / seconds});
    rates.along.push_back({at, (there.y() - middle.y()) / seconds});
    rates.turn.push_back({at, angle / seconds});
  }
  return rates;
}

}  // namespace shingle::drone
