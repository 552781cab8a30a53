// Epilogue: what is applied to a convolution's sums in the registers, before they are stored.
//
//   y = activation(sum + bias + residual), or activation(sum + bias) + residual
//
// The bias belongs to the weights: the accumulation starts with it.
#pragma once

#include "devices/kernels/rows.hpp"
#include "partition/model/operator.hpp"

namespace shingle::kernels {

struct Epilogue {
  Activation activation;  // see supported()
  // In the coordinates of the output; holds every element that is written.
  const InputRows* residual = nullptr;
  bool residual_after_activation = false;
};

// Do the kernels fuse it? These: none, relu, leaky_relu, clip, sigmoid, silu, hard_sigmoid,
// hard_swish.
bool supported(const Activation& activation);

}  // namespace shingle::kernels
