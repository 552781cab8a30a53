// Operators of two operands, with broadcasting as in numpy: dims aligned at the last one, size 1
// stretched.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// Refuses dims that do not broadcast.
Dims broadcast(Node& node, const Dims& a, const Dims& b);

// By dim of `dims`: how far one step along it moves in a row-major value of dims `operand`; 0 where
// the operand is stretched. REQUIRES: `operand` broadcasts to `dims`.
std::vector<int64_t> broadcast_strides(const Dims& operand, const Dims& dims);

// Each dim of size 1 stretched to that of `out`: the same elements several times. REQUIRES: the
// box broadcasts to `out`.
Box stretched(Node& node, Box box, const Dims& out);

// REQUIRES: at least one operand is a Box.
Box combine(Node& node, Binary::Kind kind, const Value& a, const Value& b);

// One number for the second operand.
Box combine(Node& node, Binary::Kind kind, const Box& a, float b);

// The constant as a tensor that broadcasts against the box of `view`: along each axis full or 1.
// REQUIRES: it broadcasts to the view's dims.
TensorId spread(Node& node, const View& view, const Constant& constant);

// Of constants only. Refuses operators that it does not know.
Constant folded_binary(Node& node, std::string_view op, const Constant& a, const Constant& b);
Constant folded_unary(Node& node, const Constant& operand);
Constant folded_where(Node& node);

}  // namespace shingle::onnx
