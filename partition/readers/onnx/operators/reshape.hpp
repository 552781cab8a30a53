// Reads a value with other dims, or with its dims in another order.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

Dims dims_of(const Value& value);

// The dims that a Shape lists: those from `begin` to `end`.
struct ListedDims {
  size_t begin, end;
};
ListedDims listed_dims(Node& node, size_t rank);

// REQUIRES: as many elements. Adds a Rearrange only if the box lies so that a cut between two new
// dims falls inside a factor.
Box reshaped_box(Node& node, const Box& box, const Dims& dims);

// The same of a box or a constant; refuses dims of another number of elements for a constant.
Value reshaped_value(Node& node, const Value& value, const Dims& dims);

// Dim i of the result is dim permutation[i] of the value. REQUIRES: a permutation of its dims.
Value permuted(Node& node, const Value& value, const Dims& permutation);

}  // namespace shingle::onnx
