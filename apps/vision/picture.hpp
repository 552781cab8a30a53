// From a picture to a model's input, once, in uint8: scaled straight to the input's size, so frames
// travel as bytes; the step to float is the model's own first layer (take_image).
//
//   letterbox: whole, top left   centred: whole, in the middle   stretch: fills   crop: the middle
//   +-----------+                +-----------+                   +-----------+   . +-----+ .
//   |  picture  |                |   fill    |                   |  picture  |   . |     | .
//   +-----------+                |  picture  |                   | stretched |   . |     | .
//   |   fill    |                |   fill    |                   |           |   . |     | .
//   +-----------+                +-----------+                   +-----------+   . +-----+ .
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>
#include <vector>

#include "apps/models/take_picture.hpp"
#include "apps/vision/detection.hpp"

namespace shingle {

// Where the picture lies in the input: (x, y) of the picture is (x * scale_x + left,
// y * scale_y + top) of the input.
struct Placement {
  double scale_x = 1.0, scale_y = 1.0;
  double left = 0.0, top = 0.0;
};
Placement place(Fit fit, cv::Size picture, Shape input);

// `picture` is 8-bit BGR. The bytes are `input` in (y, x, c) order; grey for one channel. Bilinear.
// REQUIRES: input.c is 1 or 3; the picture is not empty.
std::vector<std::byte> image_bytes(const cv::Mat& picture, const Preparation& preparation,
                                   Shape input);

// Width and height as two f32: what a model takes that makes its boxes as shares of the whole input
// and multiplies them by the picture's size. It is the input's size in the picture's pixels.
std::vector<std::byte> size_bytes(const Placement& placement, Shape input);

// A box found in the input, in the picture's pixels and clipped to it.
Box in_picture(const Box& box, const Placement& placement, cv::Size picture);

}  // namespace shingle
