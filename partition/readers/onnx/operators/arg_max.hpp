// The index of the largest element along a dim, and a dim as one axis.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// The first one, as a float; the dim keeps size 1.
Box first_largest(Node& node, const Box& box, size_t dim);

// Makes the dim one axis of the box, its elements in their order; that axis. REQUIRES: the dim has
// more than one element.
Axis lined_up(Node& node, Box& box, size_t dim);

// 0 for each element: the index where there is one only.
Box only_index(Node& node, const Box& box);

}  // namespace shingle::onnx
