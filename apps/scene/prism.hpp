// A prism: the sides that a camera sees of a body between two outlines.
#pragma once

#include "apps/scene/paint.hpp"
#include "apps/scene/view.hpp"

namespace shingle {

struct Prism {
  Outline low, high;  // metres; convex, with as many corners, corner above corner
  double z_low = 0.0, z_high = 1.0;
};

struct SideLook {
  Colour colour{};
  double light = 1.0;
  cv::Point2d to_sun{};  // of length 1, or 0: no side is lighter than another
};

void draw_sides(cv::Mat& image, const SceneView& view, const Prism& prism, const SideLook& look);

// All that is seen of it, in pixels: convex.
Outline silhouette(const SceneView& view, const Prism& prism);

}  // namespace shingle
