// Window: how one axis of a sliding-window layer (convolution, pooling) reads its input.
//
//   output o reads the inputs  o*stride - pad_begin + t*dilation,  t = 0 .. kernel-1
//
//        pad_begin        map of `size`          pad_end
//      . . . . . . |=============================|. . . .
//          [-------- kernel --------]                     output 0
//              [-------- kernel --------]                 output 1 (stride 1)
//
// The part of the demand that falls off the map is padding, which the executor supplies (0 for
// convolution, -infinity for max-pooling). Where the map's border cuts a window with gaps
// (dilation, or a stride longer than the kernel), the span shrinks further to the first and the
// last input that a tap really reads.
#pragma once

#include <cstdint>

#include "partition/model/region.hpp"

namespace shingle {

struct Window {
  int32_t kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;
  friend bool operator==(const Window&, const Window&) = default;
};

struct SpanDemand {
  Span span;  // first to last input on the map that a tap reads; empty: only padding
  // Inputs of the window's reach before and after `span`: padding, or inputs that no tap reads.
  int32_t pad_before = 0, pad_after = 0;
  friend bool operator==(const SpanDemand&, const SpanDemand&) = default;
};

int32_t extent(const Window& window);  // (kernel - 1) * dilation + 1

// Outputs that a map of `size` yields with floor rounding; 0 when the window does not fit.
int32_t output_size(const Window& window, int32_t size);

// Inputs read by the outputs `out` of a map of `size`.
// REQUIRES: out is not empty. span.size() + pad_before + pad_after == (out.size()-1)*stride +
// extent.
SpanDemand demand(const Window& window, Span out, int32_t size);

// The same for a transposed convolution, in which input i contributes to output o = i*stride -
// pad_begin + t*dilation for each tap t: the inputs that contribute to `out`.
Span transposed_demand(const Window& window, Span out, int32_t size);

}  // namespace shingle
