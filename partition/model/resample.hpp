// Resampling: which two inputs one output of a Resize reads along one axis, and their weights.
//
// demand() and every executor call the same function, so that the floats that choose an input are
// the same in the geometry and in the kernels. The arithmetic is single precision, in the order of
// ONNX's formulas. The result never decreases when the output index grows, so the two ends of a
// span give its demand.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "partition/model/operator.hpp"
#include "partition/model/region.hpp"

namespace shingle {

struct ResizeAxis {
  Resize::Kind kind = Resize::Kind::nearest;
  Resize::Coordinates coordinates = Resize::Coordinates::half_pixel;
  Resize::Rounding rounding = Resize::Rounding::prefer_floor;
  float scale = 1.0F;
  int32_t input_size = 1, output_size = 1;
};

// value = first * (1 - weight) + second * weight; nearest: second == first, weight 0.
struct ResizeTaps {
  int32_t first = 0, second = 0;  // 0 <= first <= second < input_size
  float weight = 0.0F;            // of `second`
  friend bool operator==(const ResizeTaps&, const ResizeTaps&) = default;
};

inline ResizeAxis resize_axis_y(const Resize& op, Shape input, Shape output) {
  return {op.kind, op.coordinates, op.rounding, op.scale_y, input.h, output.h};
}
inline ResizeAxis resize_axis_x(const Resize& op, Shape input, Shape output) {
  return {op.kind, op.coordinates, op.rounding, op.scale_x, input.w, output.w};
}

// The input coordinate of output `index`, in units of inputs; it may lie off the map.
inline float source_coordinate(const ResizeAxis& axis, int32_t index) {
  const auto o = static_cast<float>(index);
  switch (axis.coordinates) {
    case Resize::Coordinates::half_pixel:
      return (o + 0.5F) / axis.scale - 0.5F;
    case Resize::Coordinates::pytorch_half_pixel:
      return axis.output_size > 1 ? (o + 0.5F) / axis.scale - 0.5F : 0.0F;
    case Resize::Coordinates::asymmetric:
      return o / axis.scale;
    case Resize::Coordinates::align_corners:
      return axis.output_size > 1 ? o * static_cast<float>(axis.input_size - 1) /
                                        static_cast<float>(axis.output_size - 1)
                                  : 0.0F;
  }
  return 0.0F;
}

inline float round_coordinate(Resize::Rounding rounding, float coordinate) {
  switch (rounding) {
    case Resize::Rounding::prefer_floor:  // only the exact middle is rounded down
      return std::ceil(coordinate - 0.5F);
    case Resize::Rounding::prefer_ceil:
      return std::floor(coordinate + 0.5F);
    case Resize::Rounding::floor:
      return std::floor(coordinate);
    case Resize::Rounding::ceil:
      return std::ceil(coordinate);
  }
  return coordinate;
}

// REQUIRES: scale finite and above 0, input_size >= 1.
inline ResizeTaps resize_taps(const ResizeAxis& axis, int32_t index) {
  const int32_t last = axis.input_size - 1;
  float at = source_coordinate(axis, index);
  if (axis.kind == Resize::Kind::nearest) at = round_coordinate(axis.rounding, at);
  // Clamped before the cast: a float that is too large for an int32 must not be cast.
  at = std::clamp(at, 0.0F, static_cast<float>(last));
  const int32_t first = at >= static_cast<float>(last) ? last : static_cast<int32_t>(at);
  if (axis.kind == Resize::Kind::nearest) return {first, first, 0.0F};
  const int32_t second = std::min(first + 1, last);
  return {first, second, second == first ? 0.0F : at - static_cast<float>(first)};
}

}  // namespace shingle
