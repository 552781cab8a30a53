// Helpers for views of tensors: addresses, copies of rows, borders of padding.
//
// A view's region may reach beyond the map (negative or large coordinates). Such a view is a padded
// box: elements outside the map hold the reader's neutral value.
#pragma once

#include <cassert>
#include <cstdint>

#include "devices/executor/executor.hpp"

namespace shingle {

// An input for an operator that has no padding of its own: the box, and the value of elements
// outside the map.
struct PaddedBox {
  Region box;
  float neutral = 0.0F;
  friend bool operator==(const PaddedBox&, const PaddedBox&) = default;
};

// How many elements lie between the box's first one and element (y, x, c). REQUIRES: (y, x, c) lies
// in the box.
inline int64_t offset_in(const Region& box, int32_t y, int32_t x, int32_t c) {
  assert(y >= box.y.begin && y < box.y.end && x >= box.x.begin && x < box.x.end &&
         c >= box.c.begin && c < box.c.end);
  return (int64_t{y - box.y.begin} * box.x.size() + (x - box.x.begin)) * box.c.size() +
         (c - box.c.begin);
}

// REQUIRES: an f32 view.
inline const float* at(const ConstTensorView& view, int32_t y, int32_t x, int32_t c) {
  assert(view.type == ElementType::f32);
  return reinterpret_cast<const float*>(view.data) + offset_in(view.region, y, x, c);
}
inline float* at(const TensorView& view, int32_t y, int32_t x, int32_t c) {
  assert(view.type == ElementType::f32);
  return reinterpret_cast<float*>(view.data) + offset_in(view.region, y, x, c);
}

inline ConstTensorView read_only(const TensorView& view) {
  return {view.data, view.region, view.type};
}

// Do neighbouring pixels of a row of `part` follow each other in memory, without other channels
// between them?
inline bool dense_rows(const Region& box, const Region& part) { return box.c == part.c; }

// REQUIRES: `input` is an input of the model; `inputs` are of its sizes.
ConstTensorView whole_input(const Model& model, const WholeInputs& inputs, TensorId input);

// Copies `region`. REQUIRES: both views are f32 and hold it.
void copy(const ConstTensorView& source, const TensorView& target, const Region& region);

// Sets all elements of `target` outside `interior` to `value`. REQUIRES: the interior lies in the
// view or is empty.
void fill_around(const TensorView& target, const Region& interior, float value);

}  // namespace shingle
