// Scales and shifts by channel that are folded into the convolution before them: batch
// normalisation, and chains of arithmetic with constants, as a bias that is added by itself. What
// no convolution takes may be shortened (chains.hpp).
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// Changes the layer that makes the box, if that is a convolution whose output nobody else reads and
// that has no activation. Otherwise false, and nothing is changed.
bool folded(Node& node, const Box& box, const Affine& affine);

// Arithmetic as what it does to its operand that depends on the input. None: the other operand is
// no constant with one number, or one for each channel, or the arithmetic is not affine.
struct AffineStep {
  Box box;
  Affine affine;
};
std::optional<AffineStep> affine_step(Node& node, Binary::Kind kind, const Value& a,
                                      const Value& b);

bool is_finite(const Affine& affine);
bool scales(const Affine& affine);  // not all scales are 1

}  // namespace shingle::onnx
