// Combines all elements of some dims of a value.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// The box with the marked dims as its whole channel axis. Uses the usual map layout of most
// operators if that layout fulfils this.
Box with_channels(Node& node, const Box& box, const std::vector<bool>& marked);

// The dims that a node reduces, marked. The axes are its attribute or (ReduceSum from opset 13 on,
// the others from 18 on) its second input. Without axes: all of them, or none if the file says so.
std::vector<bool> reduced_dims(Node& node, size_t rank);

// Reduces the marked dims to size 1. REQUIRES: `kind` is not arg_max.
Box reduced(Node& node, Reduction::Kind kind, const Box& box, const std::vector<bool>& marked);

// Removes the marked dims, which have size 1.
Box without(Box box, const std::vector<bool>& marked);

// The same reduction (node.op()) of a constant, with or without the reduced dims as the node says.
Constant folded_reduction(Node& node, const Constant& constant, const std::vector<bool>& marked);

// exp(x) / sum of exp(x) over the marked dims; `log`: its logarithm.
Box softmax_over(Node& node, const Box& box, const std::vector<bool>& marked, bool log);

Box squared(Node& node, const Box& box);

}  // namespace shingle::onnx
