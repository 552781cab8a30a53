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

#include <array>
#include <cstddef>
#include <opencv2/core.hpp>
#include <vector>

#include "apps/vision/detection.hpp"
#include "partition/model/model.hpp"

namespace shingle {

enum class Fit { letterbox, centred, stretch, crop };
enum class ColourOrder { bgr, rgb };

// What a model was trained on. Element v of channel c (0 to 255, in the order of `colour`) means
// (v - mean[c]) / deviation[c]; a grey model takes the first number.
struct Preparation {
  Fit fit = Fit::stretch;
  ColourOrder colour = ColourOrder::bgr;
  std::array<float, 3> mean{0.0F, 0.0F, 0.0F};
  std::array<float, 3> deviation{255.0F, 255.0F, 255.0F};
  uint8_t fill = 114;
  friend bool operator==(const Preparation&, const Preparation&) = default;
};

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

// A box found in the input, in the picture's pixels and clipped to it.
Box in_picture(const Box& box, const Placement& placement, cv::Size picture);

// The input of a model that takes a picture: one f32 input of 1 or 3 channels. An error otherwise.
Result<Shape> picture_shape(const Model& model);

// Makes the model take pictures as uint8 (take_image).
Status take_picture(Model& model, const Preparation& preparation);
// The same with the numbers of a plan, from anybody: an error where they do not fit the model, or
// say that they are for another one.
Status take_picture(Model& model, const ImageInput& image);

}  // namespace shingle
