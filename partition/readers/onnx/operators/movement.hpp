// Moves the elements of constants: slices, transposes, broadcasts, gathers, concatenations and
// casts.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// REQUIRES: of a value, or of some dims of one.
int64_t product_of(const Dims& dims);
int64_t product_between(const Dims& dims, size_t first, size_t last);

// The dims with `taken` in place of `count` of them from `first` on.
Dims replaced_dims(Dims dims, size_t first, size_t count, const Dims& taken);

// The elements that a strided walk over a row-major constant visits.
struct Walk {
  Dims dims;     // of the result
  Dims strides;  // by dim, in elements of the source
  int64_t begin = 0;
};

std::vector<int64_t> row_major_strides(const Dims& dims);

// REQUIRES: every element of the walk lies within the constant.
Constant walked(Node& node, const Constant& constant, const Walk& walk);

Constant transposed_constant(Node& node, const Constant& constant, const Dims& permutation);

// REQUIRES: indices within the dim.
Constant gathered(Node& node, const Constant& constant, size_t dim, const Constant& indices);

// All parts must have one type and equal dims except for `dim`; refuses others.
Constant joined(Node& node, const std::vector<const Constant*>& parts, size_t dim);

Constant cast_constant(Node& node, const Constant& constant, DataType to);

}  // namespace shingle::onnx
