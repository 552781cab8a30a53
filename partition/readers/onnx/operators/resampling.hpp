// Resize in all its modes. What the core's own Resize covers becomes one layer; the rest (cubic, a
// part of the map with what lies off it, other dims than height and width) is, dim by dim, a sum of
// chosen elements times weights.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

struct Resampling {
  enum class Kind { nearest, linear, cubic };
  enum class Coordinates {
    half_pixel,
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
  bool exclude_outside = false;      // taps off the map count nothing (cubic only)
  float extrapolation_value = 0.0F;  // where tf_crop_and_resize looks off the map
  Dims output{};                     // by dim
  std::vector<float> scales{};       // by dim
  std::vector<float> starts{},
      ends{};  // by dim, of tf_crop_and_resize: parts of the map from 0 to 1
};

// REQUIRES: scales above 0, starts and ends of moderate size, all of them one for each dim.
Box resampled(Node& node, const Box& box, const Resampling& resampling);

}  // namespace shingle::onnx
