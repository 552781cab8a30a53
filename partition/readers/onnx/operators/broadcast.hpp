// Operators of two operands, with broadcasting as in numpy: dims are aligned at the last one, and
// size 1 is stretched.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// Refuses dims that do not broadcast.
Dims broadcast(Node& node, const Dims& a, const Dims& b);

// By dim of `dims`: how far one step moves in a row-major value of dims `operand`; 0 if the operand
// is stretched. REQUIRES: `operand` broadcasts to `dims`.
std::vector<int64_t> broadcast_strides(const Dims& operand, const Dims& dims);

// Stretches each dim of size 1 to its size in `out` by repeating the elements. REQUIRES: the box
// broadcasts to `out`.
Box stretched(Node& node, Box box, const Dims& out);

// REQUIRES: at least one operand is a Box.
Box combine(Node& node, Binary::Kind kind, const Value& a, const Value& b);

// The same with one number as the second operand.
Box combine(Node& node, Binary::Kind kind, const Box& a, float b);

// The constant as a tensor that broadcasts against the box of `view`: its size along each axis is
// the full size or 1. REQUIRES: it broadcasts to the view's dims.
TensorId spread(Node& node, const View& view, const Constant& constant);

// The value in a box whose dims lie along these axes. REQUIRES: of a constant, sizes within limits.
TensorId along_axes(Node& node, const Value& value, const std::vector<Axis>& axes);

// For constants only. Refuses unknown operators.
Constant folded_binary(Node& node, std::string_view op, const Constant& a, const Constant& b);
Constant folded_unary(Node& node, const Activation& activation, const Constant& operand);
Constant folded_where(Node& node, const Constant& condition, const Constant& yes,
                      const Constant& no);

// The second operand of a node with two. Before opset 7 it is aligned at dimension `axis` of the
// first; here it gets dimensions of size 1 behind its own.
Value aligned_operand(Node& node);

}  // namespace shingle::onnx
