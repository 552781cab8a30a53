// Lines of maps along one axis, and the indices that values give along it.
#pragma once

#include <cstdint>

#include "devices/executor/view.hpp"
#include "partition/model/operator.hpp"

namespace shingle {

constexpr int32_t no_place = -1;

// Where an index points on an axis of `size`; -1 is the last place. No place: it lies off the map,
// or is no number.
inline int32_t place_of(float index, int32_t size) {
  const auto wanted = static_cast<double>(index);
  if (!(wanted > -1.0 - size && wanted < size)) return no_place;
  const auto place = static_cast<int32_t>(wanted);
  return place < 0 ? place + size : place;
}

inline Span span_along(const Region& region, Axis axis) {
  return axis == Axis::y ? region.y : axis == Axis::x ? region.x : region.c;
}

inline int32_t size_along(Shape shape, Axis axis) {
  return axis == Axis::y ? shape.h : axis == Axis::x ? shape.w : shape.c;
}

// How many elements lie between two neighbours along `axis`.
inline int64_t step_along(const Region& box, Axis axis) {
  if (axis == Axis::c) return 1;
  return axis == Axis::x ? box.c.size() : int64_t{box.x.size()} * box.c.size();
}

// A value whose axes of size 1 count for every place.
struct Broadcast {
  const ConstTensorView& view;
  Shape shape;

  const float* at(int32_t y, int32_t x, int32_t c) const {
    return shingle::at(view, shape.h == 1 ? 0 : y, shape.w == 1 ? 0 : x, shape.c == 1 ? 0 : c);
  }
};

}  // namespace shingle
