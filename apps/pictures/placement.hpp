// Where a picture lies in a model's input.
//
//   letterbox: whole, top left   centred: whole, in the middle   stretch: fills   crop: the middle
//   +-----------+                +-----------+                   +-----------+   . +-----+ .
//   |  picture  |                |   fill    |                   |  picture  |   . |     | .
//   +-----------+                |  picture  |                   | stretched |   . |     | .
//   |   fill    |                |   fill    |                   |           |   . |     | .
//   +-----------+                +-----------+                   +-----------+   . +-----+ .
#pragma once

#include <cstddef>
#include <vector>

#include "apps/models/take_picture.hpp"
#include "apps/pictures/picture_view.hpp"

namespace shingle {

// (x, y) of the picture is (x * scale_x + left, y * scale_y + top) of the input.
struct Placement {
  double scale_x = 1.0, scale_y = 1.0;
  double left = 0.0, top = 0.0;
};
Placement place(Fit fit, PixelSize picture, Shape input);

// The part of the input that the picture covers, and the part of the picture that is in the input:
// what covered() shows is kept(), scaled. REQUIRES: no size is 0.
PixelRect covered(Fit fit, PixelSize picture, Shape input);
PixelRect kept(Fit fit, PixelSize picture, Shape input);

// Width and height as two f32: what a model takes that makes its boxes as shares of the whole input
// and multiplies them by the picture's size. It is the input's size in the picture's pixels.
std::vector<std::byte> size_bytes(const Placement& placement, Shape input);

}  // namespace shingle
