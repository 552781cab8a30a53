// Shape inference: the output shape that an operator gives its inputs, and what shapes it may be
// given where the file decides. Total on hostile models: any ids, sizes and constants yield a shape
// within the limits or one sentence; nothing overflows, nothing is allocated.
#pragma once

#include <span>

#include "partition/model/model.hpp"

namespace shingle {

// Sums of a size, a pad and a stride within these stay within an int32.
inline constexpr int32_t max_axis = 1 << 30;
inline constexpr int64_t max_elements = int64_t{1} << 30;  // of one tensor
inline constexpr int32_t max_window = 1 << 20;  // kernel, stride, dilation and pads of a window
inline constexpr size_t max_factors = 64;       // of a Rearrange
inline constexpr int32_t max_index = 1 << 24;   // that a float holds exactly

bool within_limits(Shape shape);  // every axis at least 1, elements bounded

// The usual shape: floor rounding for windows, no output padding, size * scale for Resize, all that
// a StridedSlice can reach.
Result<Shape> infer_shape(const Model& model, const Operator& op, std::span<const TensorId> inputs);

// May `layer` put out the shape that its output tensor has? Besides the usual shape: pooling up to
// ceil rounding, any extent of a TransposedConvolution or Resize, any shorter StridedSlice.
Status check_shape(const Model& model, const Layer& layer);

// The constants of an operator: weights, then bias.
std::vector<ConstantId> constants_of(const Operator& op);

}  // namespace shingle
