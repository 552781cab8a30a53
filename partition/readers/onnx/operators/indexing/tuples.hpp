// Places that tuples of indices name (GatherND, ScatterND):
//
//   map      [batch..., sizes..., rest...]
//   indices  [batch..., places..., k]    a tuple is as long as there are sizes
#pragma once

#include "partition/readers/onnx/operators/indexing/indexing.hpp"

namespace shingle::onnx {

struct Tuples {
  Dims batch, places, sizes, rest;
};

// Of inputs 0 and 1; refuses those that do not fit.
Tuples tuples_of(Node& node, int64_t batch_dims);

// Tuples of indices [..., k] of a map of `sizes`, as indices of all its elements in their order
// [..., 1]. A constant tuple off the map is refused.
Value flat_indices(Node& node, const Value& tuples, const Dims& sizes);

Dims joined(const Dims& a, const Dims& b, const Dims& c);

}  // namespace shingle::onnx
