#include "apps/vision/detection.hpp"

#include <algorithm>

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
  std::stable_sort(detections.begin(), detections.end(),
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
  std::vector<Detection> kept;
  for (const Detection& candidate : detections) {
    const bool repeated = std::any_of(kept.begin(), kept.end(), [&](const Detection& better) {
      return better.class_id == candidate.class_id &&
             intersection_over_union(better.box, candidate.box) > max_overlap;
    });
    if (!repeated) kept.push_back(candidate);
  }
  return kept;
}

}  // namespace shingle
