#include "apps/drone/boxes/pixel_box.hpp"

#include <algorithm>

namespace shingle::drone {

double common_area(const PixelBox& a, const PixelBox& b) {
  const double width = std::min(a.right(), b.right()) - std::max(a.x, b.x);
  const double height = std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y);
  return width > 0.0 && height > 0.0 ? width * height : 0.0;
}

double overlap(const PixelBox& a, const PixelBox& b) {
  const double common = common_area(a, b);
  const double all = a.area() + b.area() - common;
  return all > 0.0 ? common / all : 0.0;
}

double overlap_of_inclusive(const PixelBox& a, const PixelBox& b) {
  return overlap({a.x, a.y, a.w + 1.0, a.h + 1.0}, {b.x, b.y, b.w + 1.0, b.h + 1.0});
}

}  // namespace shingle::drone
