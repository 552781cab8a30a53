// Chooses elements of a value by constant indices, dim by dim. Mirrored borders, slices,
// repetitions, broadcasts and unusual resizes are all done with it.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// By dim: the index of each element of the result; empty: all elements in their order.
using Choice = std::vector<std::vector<int64_t>>;

// Adds one layer for each axis of the box along which something changes: a StridedSlice if the
// indices have a constant step, otherwise a Gather. REQUIRES: a list for each dim, indices within
// the dim.
Box chosen(Node& node, const Box& box, const Choice& choice);

// 0, 1, ... size-1, repeated `times` times. Charges the budget.
std::vector<int64_t> repeated_range(Node& node, int64_t size, int64_t times);

// `count` indices from `first` on, `step` apart. Charges the budget.
std::vector<int64_t> spaced(Node& node, int64_t first, int64_t step, int64_t count);

}  // namespace shingle::onnx
