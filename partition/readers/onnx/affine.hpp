// Scales and shifts by channel that are folded into the convolution before them: batch
// normalisation, and chains of arithmetic with constants, as a bias that is added by itself.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// Channel m of a tensor becomes value * scale[m] + shift[m].
struct Affine {
  std::vector<float> scale, shift;
};

// Changes the layer that makes the box, if that is a convolution whose output nobody else reads and
// that has no activation. Otherwise false, and nothing is changed.
bool folded(Node& node, const Box& box, const Affine& affine);

// The same for arithmetic of a value with a constant that has one number, or one for each channel;
// returns what was the value. None: it is a layer of its own.
std::optional<Box> folded_arithmetic(Node& node, Binary::Kind kind, const Value& a, const Value& b);

}  // namespace shingle::onnx
