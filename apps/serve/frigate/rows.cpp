#include "apps/serve/frigate/rows.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle::serve {
namespace {

float share(float place, int32_t side) {
  return std::clamp(place / static_cast<float>(side), 0.0F, 1.0F);
}

bool is_finite(const FrigateBox& box) {
  return std::isfinite(box.x0) && std::isfinite(box.y0) && std::isfinite(box.x1) &&
         std::isfinite(box.y1) && std::isfinite(box.score);
}

}  // namespace

FrigateRows frigate_rows(std::vector<FrigateBox> boxes, int32_t width, int32_t height) {
  assert(width > 0 && height > 0);
  std::erase_if(boxes, [](const FrigateBox& box) { return !is_finite(box); });
  std::ranges::stable_sort(boxes, std::greater(), &FrigateBox::score);
  FrigateRows rows;
  float* next = rows.values.data();
  for (size_t i = 0; i < std::min(boxes.size(), FrigateRows::rows); ++i) {
    const FrigateBox& box = boxes[i];
    for (const float value :
         {static_cast<float>(box.class_id), std::clamp(box.score, 0.0F, 1.0F),
          share(box.y0, height), share(box.x0, width), share(box.y1, height), share(box.x1, width)})
      *next++ = value;
  }
  return rows;
}

}  // namespace shingle::serve
