// From a picture to a model's input, once, in uint8: scaled straight to the input's size, so frames
// travel as bytes; the step to float is the model's own first layer (take_image).
//
//   letterbox: keeps the picture's shape, top left   stretch: fills the input
//   +-----------+                                    +-----------+
//   |  picture  |                                    |  picture  |
//   +-----------+                                    |  stretched|
//   |    114    |                                    |           |
//   +-----------+                                    +-----------+
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>
#include <vector>

#include "apps/detection.hpp"
#include "partition/region.hpp"

namespace shingle {

enum class Fit { letterbox, stretch };

// Input pixels per picture pixel.
struct Placement {
  double scale_x = 1.0, scale_y = 1.0;
};
Placement place(Fit fit, cv::Size picture, Shape input);

// `picture` is 8-bit BGR. The bytes are `input` in (y, x, c) order: BGR for three channels, grey
// for one. Bilinear. REQUIRES: input.c is 1 or 3; the picture is not empty.
std::vector<std::byte> image_bytes(const cv::Mat& picture, Fit fit, Shape input);

// A box found in the input, in the picture's pixels and clipped to it.
Box in_picture(const Box& box, Placement placement, cv::Size picture);

}  // namespace shingle
