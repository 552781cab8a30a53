// Shape inference: the output shape of an operator for its inputs, and the shapes that a file may
// give it. Every model is handled, hostile ones included: any ids, sizes and constants yield a
// shape within the limits or one sentence. Nothing overflows and nothing is allocated.
#pragma once

#include <span>

#include "partition/model/model.hpp"

namespace shingle {

// Within these limits, the sum of a size, a pad and a stride fits an int32.
inline constexpr int32_t max_axis = 1 << 30;
inline constexpr int64_t max_elements = int64_t{1} << 30;  // of one tensor
inline constexpr int32_t max_window = 1 << 20;  // kernel, stride, dilation and pads of a window
inline constexpr size_t max_factors = 64;       // of a Rearrange
inline constexpr int32_t max_index = 1 << 24;   // a float holds each index exactly

bool within_limits(Shape shape);  // every axis at least 1, elements bounded

// The usual shape: floor rounding for windows, no output padding, size * scale for Resize,
// everything that a StridedSlice can reach.
Result<Shape> infer_shape(const Model& model, const Operator& op, std::span<const TensorId> inputs);

// Checks that `layer` can have the shape of its output tensor. Besides the usual shape it may be:
// for pooling up to ceil rounding, for a TransposedConvolution or Resize any extent, for a
// StridedSlice anything shorter.
Status check_shape(const Model& model, const Layer& layer);

int64_t most_rows(const Suppression& op, Shape scores);  // of the output
int32_t gates_of(Recurrence::Kind kind);

// The constants of an operator: weights, then bias, or what else it has.
std::vector<ConstantId> constants_of(const Operator& op);

}  // namespace shingle
