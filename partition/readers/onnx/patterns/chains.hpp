// Chains of arithmetic by channel that no convolution before them takes: what stays of one is at
// most a product and a sum, and the convolution or product behind it takes what it can.
#pragma once

#include "partition/readers/onnx/affine.hpp"

namespace shingle::onnx {

// The step's result as that of the whole chain, if the chain gets no longer by it. None: the step
// has `layers` of its own, with which lengthened() records the chain.
std::optional<Box> shortened(Node& node, const AffineStep& step);
void lengthened(Node& node, const AffineStep& step, int layers, const Box& result);

// Arithmetic of two values as part of the layer before it or of a chain, if it is such a step, or
// else as a layer that may become part of a chain. REQUIRES: at least one is a Box.
Box arithmetic(Node& node, Binary::Kind kind, const Value& a, const Value& b);

// Takes the chain that ends with `input` into the convolution that reads it, and returns what that
// reads instead. Padding is 0 before the convolution, so a shift stays before padded ones. A scale
// stays if it would make more new weights than the map has elements.
Box absorbed(Node& node, const Box& input, Convolution& op);

}  // namespace shingle::onnx
