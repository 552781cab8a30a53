// Detections: boxes with a class and a score, and the suppression of those that say the same thing.
#pragma once

#include <vector>

#include "apps/pictures/placement.hpp"

namespace shingle {

struct Box {  // in pixels; x, y is the top left corner
  float x = 0.0F, y = 0.0F, w = 0.0F, h = 0.0F;
  friend bool operator==(const Box&, const Box&) = default;
};

struct Detection {
  int class_id = 0;
  float score = 0.0F;
  Box box;
  friend bool operator==(const Detection&, const Detection&) = default;
};

float intersection_over_union(const Box& a, const Box& b);  // 0 where either has no area
Box clipped(const Box& box, float width, float height);
// A box found in the input, in the picture's pixels and clipped to it.
Box in_picture(const Box& box, const Placement& placement, PixelSize picture);

// Greedy non-maximum suppression within each class: a detection goes when a better one of its class
// overlaps it by more than `max_overlap`. Best score first; equal scores keep their order.
std::vector<Detection> suppress(std::vector<Detection> detections, float max_overlap);

}  // namespace shingle
