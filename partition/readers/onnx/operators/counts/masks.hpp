// What stands behind a count, made to be something that an operator does not notice.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// 1 at the places of a dim of `size` before the count, 0 behind it; its dims are that one and
// `behind` more of size 1.
Box before(Node& node, const Amount& count, int64_t size, size_t behind);

// The value with `fill` behind these counts, which it has no more. REQUIRES: they are of the
// value's dims.
Value masked(Node& node, const Value& value, const Counts& counts, float fill);

// An operand without counts, in place of the input.
void mask_input(Node& node, size_t input, float fill);
// The same behind the count of one dim only.
void mask_dim(Node& node, size_t input, size_t dim, float fill);

}  // namespace shingle::onnx
