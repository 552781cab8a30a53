// Arithmetic by channel with constants, and chains of it.
#pragma once

#include <vector>

#include "partition/base/ids.hpp"

namespace shingle::onnx {

// Channel m of a tensor becomes value * scale[m] + shift[m].
struct Affine {
  std::vector<float> scale, shift;
};

// How the elements of a tensor came from those of another one, in the same places.
struct AffineChain {
  TensorId source;
  Affine affine;   // of all its layers together
  int layers = 0;  // that the chain has
};

}  // namespace shingle::onnx
