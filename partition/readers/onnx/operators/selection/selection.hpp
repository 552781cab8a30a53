// Picks elements along one dim of a value, wherever in the box that dim lies.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// The box with only those elements of one dim that `indices` lists, in that order. Nothing else
// moves unless the dim lies in several places. REQUIRES: indices within the dim.
Box gathered_box(Node& node, Box box, size_t dim, const std::vector<int64_t>& indices);

}  // namespace shingle::onnx
