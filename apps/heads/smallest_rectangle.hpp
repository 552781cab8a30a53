// The rectangle of the smallest area around points, at any angle: one of its sides lies on a side
// of their convex hull (Freeman and Shapira, "Determining the minimum-area encasing rectangle for
// an arbitrary closed curve", 1975).
#pragma once

#include <vector>

#include "apps/heads/outlines.hpp"

namespace shingle {

struct EncasingRectangle {
  double x = 0.0, y = 0.0;  // of the centre
  double w = 0.0, h = 0.0;  // of the sides before the turn; 0 where all points lie on a line
  double angle = 0.0;       // radians, clockwise as seen: y points down
};

// Of rectangles of the same area, to 12 digits, the first one of the hull's sides, which begin at
// the leftmost point, of these the topmost one, and go clockwise as seen. REQUIRES: there is a
// point; coordinates have 24 bits.
EncasingRectangle smallest_rectangle(const std::vector<GridPoint>& points);

// Corners only, clockwise as seen from the leftmost, topmost one; of points on a line its two ends.
std::vector<GridPoint> convex_hull(std::vector<GridPoint> points);

}  // namespace shingle
