// Choosing elements of a value by constant indices, dim by dim: what mirrored borders, cuts,
// repetitions, stretches and odd resizes have in common.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// By dim: the indices of its elements in the result; empty: all of them, as they stand.
using Choice = std::vector<std::vector<int64_t>>;

// One layer for each axis of the box along which something changes: a StridedSlice where the
// indices have one step, else a Gather. REQUIRES: a list for each dim, indices within the dim.
Box chosen(Node& node, const Box& box, const Choice& choice);

// 0, 1, ... size-1, `times` times over. Charges the budget.
std::vector<int64_t> repeated_range(Node& node, int64_t size, int64_t times);

// `count` indices from `first` on, `step` apart. Charges the budget.
std::vector<int64_t> spaced(Node& node, int64_t first, int64_t step, int64_t count);

}  // namespace shingle::onnx
