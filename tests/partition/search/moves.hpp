// Executes models that only move, add and multiply elements, one element at a time: enough to
// compare the reader's reshapes, slices, concatenations and matrix products with arrays.
#pragma once

#include <vector>

#include "partition/model/model.hpp"

namespace shingle {

// The first output in its file's order. `input` is the first input in (y, x, c) order.
// REQUIRES: no operators but StridedSlice, Gather, Concat, Rearrange, Elementwise without
// activation, Binary add and mul, and Convolution of one tap.
std::vector<float> run_moves(const Model& model, const std::vector<float>& input);

}  // namespace shingle
