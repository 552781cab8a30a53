#include "apps/vision/detection.hpp"

#include <algorithm>
#include <cstdint>

#include "apps/vision/objects/suppression.hpp"

namespace shingle {

float intersection_over_union(const Box& a, const Box& b) {
  const float width = std::min(a.x + a.w, b.x + b.w) - std::max(a.x, b.x);
  const float height = std::min(a.y + a.h, b.y + b.h) - std::max(a.y, b.y);
  if (width <= 0.0F || height <= 0.0F) return 0.0F;
  const float both = width * height;
  return both / (a.w * a.h + b.w * b.h - both);
}

Box clipped(const Box& box, float width, float height) {
  const float left = std::clamp(box.x, 0.0F, width), top = std::clamp(box.y, 0.0F, height);
  const float right = std::clamp(box.x + box.w, 0.0F, width);
  const float bottom = std::clamp(box.y + box.h, 0.0F, height);
  return {left, top, right - left, bottom - top};
}

std::vector<Detection> suppress(std::vector<Detection> detections, float max_overlap) {
  const auto itself = [](const Detection& detection) -> const Detection& { return detection; };
  const auto overlap = [](const Detection& a, const Detection& b) {
    return intersection_over_union(a.box, b.box);
  };
  return suppressed(std::move(detections), max_overlap, SIZE_MAX, itself, overlap);
}

}  // namespace shingle
