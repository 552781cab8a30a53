// Elements that are taken or replaced at indices along one dim, where the indices are a value too.
#pragma once

#include <string>

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// All functions take indices of the map's rank: along `dim` any number of them, along the others as
// many as there are elements, or 1, which counts for all. They refuse other dims, constant indices
// off the map, and more elements along `dim` than a float can count. What is constant alone is
// computed when the file is read.

// The elements of `map` at `indices`: the map's dims, with as many elements along `dim` as indices.
Value taken(Node& node, const Value& map, size_t dim, const Value& indices);

// The map with `updates` put at `indices`, which have the updates' dims or 1. Along the other dims
// there may be fewer updates than elements of the map: those beyond stay.
struct Changes {
  size_t dim = 0;
  Value indices, updates;
  Scatter::Kind kind = Scatter::Kind::replace;
};
Value scattered(Node& node, const Value& map, const Changes& changes);

// The same of constants.
Constant folded_take(Node& node, const Constant& map, size_t dim, const Constant& indices);
struct ConstantChanges {
  size_t dim = 0;
  const Constant& indices;
  const Constant& updates;
  Scatter::Kind kind = Scatter::Kind::replace;
};
Constant folded_scatter(Node& node, const Constant& map, const ConstantChanges& changes);

// How the dims of a map, of updates and of indices lie so that `dim` has an axis for itself.
// Refuses what no layout allows.
struct Extents {
  size_t dim;
  Dims map, updates, indices;
};
std::vector<Axis> axes_of_lines(const Node& node, const Extents& extents, const View* lying);

}  // namespace shingle::onnx
