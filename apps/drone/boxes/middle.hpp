// Whether the middle of a box lies in an area.
#pragma once

#include "apps/drone/boxes/pixel_box.hpp"

namespace shingle::drone {

inline bool holds_middle(const PixelBox& area, const PixelBox& box) {
  const double x = box.x + box.w / 2.0, y = box.y + box.h / 2.0;
  return x >= area.x && x < area.right() && y >= area.y && y < area.bottom();
}

}  // namespace shingle::drone
