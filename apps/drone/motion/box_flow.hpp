// Where the points inside a box went: a vehicle that the detector missed can be followed by them,
// and a box that does not go with its points is none.
#pragma once

#include <opencv2/core.hpp>
#include <span>
#include <vector>

#include "apps/drone/boxes/pixel_box.hpp"

namespace shingle::drone {

struct FollowedBox {
  PixelBox box{};        // moved and scaled as its points are; where they are unknown: as it was
  size_t points = 0;     // that were found again
  double agreement = 0;  // the share of the box's points that went the same way, within 2 pixels
  bool is_certain() const { return points >= 6 && agreement >= 0.5; }
};

// Boxes of `before` in `now`, two pictures (8-bit BGR or grey) of one size. Points are looked for
// at the pictures' full size, since a vehicle may be twenty pixels long, in the inner 80 % of a
// box.
std::vector<FollowedBox> follow_boxes(const cv::Mat& before, const cv::Mat& now,
                                      std::span<const PixelBox> boxes);

}  // namespace shingle::drone
