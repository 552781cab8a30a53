// TurnedBox: a rectangle at any angle, for objects seen from above and for lines of text.
#pragma once

#include <array>
#include <vector>

#include "apps/pictures/placement.hpp"

namespace shingle {

struct TurnedBox {
  int class_id = 0;
  float score = 0.0F;
  float x = 0.0F, y = 0.0F;  // of the centre, in pixels
  float w = 0.0F, h = 0.0F;  // of the sides before the turn
  float angle = 0.0F;        // radians, clockwise as seen: y points down
  friend bool operator==(const TurnedBox&, const TurnedBox&) = default;
};
using TurnedBoxes = std::vector<TurnedBox>;

// The same rectangle with w >= h and an angle in [0, pi).
TurnedBox regular(TurnedBox box);

struct PixelPoint {
  double x = 0.0, y = 0.0;
};
// In turn, clockwise as seen, from that which is the top left one at angle 0.
std::array<PixelPoint, 4> corners_of(const TurnedBox& box);

// ProbIoU: how alike the Gaussians are that have the rectangles' middles and spreads, from 0 to 1
// (Llerena et al., "Gaussian Bounding Boxes and Probabilistic Intersection-over-Union", 2021). Of
// boxes that are not finite it may be no number.
float probabilistic_overlap(const TurnedBox& a, const TurnedBox& b);

// A box found in the input, in the picture's pixels, regular. Where the two scales differ a
// rectangle becomes a parallelogram: of that the rectangle along its longer side with its area.
TurnedBox in_picture(const TurnedBox& box, const Placement& placement);

}  // namespace shingle
