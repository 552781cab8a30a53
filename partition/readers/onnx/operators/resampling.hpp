// Resize in all its modes. If the model's own Resize operator fits, the result is one layer.
// Everything else (cubic, a crop that may reach off the map, dims other than height and width) is,
// dim by dim, a weighted sum of chosen elements.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

struct Resampling {
  enum class Kind { nearest, linear, cubic };
  enum class Coordinates {
    half_pixel,
    half_pixel_symmetric,  // the middle of the map stays in the middle if the output is rounded
    pytorch_half_pixel,
    asymmetric,
    align_corners,
    tf_half_pixel_for_nn,
    tf_crop_and_resize
  };
  Kind kind = Kind::nearest;
  Coordinates coordinates = Coordinates::half_pixel;
  Resize::Rounding rounding = Resize::Rounding::prefer_floor;
  float cubic_coefficient = -0.75F;
  bool exclude_outside = false;      // taps off the map have weight 0 (cubic, or with antialias)
  bool antialias = false;            // where a dim shrinks, a tap's weight reaches 1/scale as far
  float extrapolation_value = 0.0F;  // result where tf_crop_and_resize reads off the map
  Dims output{};                     // by dim
  std::vector<float> scales{};       // by dim
  std::vector<float> starts{},
      ends{};  // by dim, of tf_crop_and_resize: a part of the map, in [0, 1]
};

// REQUIRES: scales above 0; starts and ends of moderate size; one of each for each dim.
Box resampled(Node& node, const Box& box, const Resampling& resampling);

}  // namespace shingle::onnx
