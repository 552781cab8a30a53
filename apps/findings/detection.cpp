#include "apps/findings/detection.hpp"

#include <algorithm>
#include <cstdint>

#include "apps/findings/suppression.hpp"

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

Box in_picture(const Box& box, const Placement& placement, PixelSize picture) {
  const auto x = [&](float value) {
    return static_cast<float>((value - placement.left) / placement.scale_x);
  };
  const auto y = [&](float value) {
    return static_cast<float>((value - placement.top) / placement.scale_y);
  };
  const float left = x(box.x), top = y(box.y);
  return clipped({left, top, x(box.x + box.w) - left, y(box.y + box.h) - top},
                 static_cast<float>(picture.width), static_cast<float>(picture.height));
}

std::vector<Detection> suppress(std::vector<Detection> detections, float max_overlap) {
  const auto itself = [](const Detection& detection) -> const Detection& { return detection; };
  const auto overlap = [](const Detection& a, const Detection& b) {
    return intersection_over_union(a.box, b.box);
  };
  return suppressed(std::move(detections), max_overlap, SIZE_MAX, itself, overlap);
}

}  // namespace shingle
