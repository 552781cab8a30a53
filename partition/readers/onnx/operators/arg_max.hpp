// The index of the largest element along a dim.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// The first one, as a float; the dim keeps size 1.
Box first_largest(Node& node, const Box& box, size_t dim);

}  // namespace shingle::onnx
