#include "apps/drone/boxes/picture_border.hpp"

namespace shingle::drone {

bool touches_border(const PixelBox& box, double width, double height) {
  constexpr double near = 1.0;
  return box.x <= near || box.y <= near || (width > 0.0 && box.right() >= width - near) ||
         (height > 0.0 && box.bottom() >= height - near);
}

}  // namespace shingle::drone
