// Epilogue: what happens to a convolution's sums before they are stored, in the registers that hold
// them.
//
//   y = activation(sum + bias + residual), or activation(sum + bias) + residual
//
// The bias belongs to the weights (it is where the accumulation starts).
#pragma once

#include "devices/kernels/rows.hpp"
#include "partition/model/operator.hpp"

namespace shingle::kernels {

struct Epilogue {
  Activation activation;  // see supported()
  const InputRows* residual =
      nullptr;  // same coordinates as the output; stored wherever it is written
  bool residual_after_activation = false;
};

// Whether the kernels fuse it: none, relu, leaky_relu, clip, sigmoid, silu, hard_sigmoid,
// hard_swish.
bool supported(const Activation& activation);

}  // namespace shingle::kernels
