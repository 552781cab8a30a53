// Depthwise convolution: every channel has a filter of its own (groups == inputs == outputs).
//
// Each output starts with the bias; one fused multiply-add follows for each tap, column by column
// (kx, ky). XNNPACK's depthwise micro-kernels of 9 taps have the same order and so the same bits.
// For other numbers of taps XNNPACK's bits differ (25 taps in two sums on AArch64; a GEMM of one
// channel; multiply, then add).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "devices/kernels/epilogue.hpp"
#include "devices/kernels/panel.hpp"
#include "devices/kernels/rows.hpp"
#include "partition/model/window.hpp"

namespace shingle::kernels {

// packed: for each vector of channels, the bias and the taps in order, one vector each. The last
// vector of channels is padded with zeros.
struct DepthwiseConvolution {
  int32_t channels = 0;
  Window y, x;  // pad_end is not used
  const float* packed = nullptr;
};

std::size_t depthwise_floats(int32_t channels, int32_t kernel_y, int32_t kernel_x);

// weights: [channels][kernel y][kernel x]; bias empty or [channels].
void pack_depthwise(int32_t channels, int32_t kernel_y, int32_t kernel_x, const float* weights,
                    std::span<const float> bias, float* packed);

// Does not allocate and needs no scratch. REQUIRES: at most 128 taps.
void depthwise_convolution(const DepthwiseConvolution& layer, const InputRows& input,
                           const OutputRows& output, const Epilogue& epilogue);

}  // namespace shingle::kernels
