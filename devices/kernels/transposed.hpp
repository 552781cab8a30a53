// Transposed convolution (input i contributes to output o = i*stride - pad_begin + t*dilation for
// each tap t) as ordinary convolutions on the kernels of these.
//
// Outputs with the same remainder of (o + pad_begin) / stride read the same taps: a *phase*. Along
// one axis, with stride 2, kernel 4, pad 1:
//
//   output o          0    1    2    3    4    5
//   o + pad_begin     1    2    3    4    5    6       = m * stride + remainder
//   taps, inputs    1->0  0->1 1->1  0->2 1->2  0->3   phase 0: taps 2, 0 on inputs m-1, m
//                   3->-1 2->0 3->0  2->1 3->1  2->2   phase 1: taps 3, 1 on inputs m-1, m
//
// So a phase is a convolution of stride 1 with some of the taps, in reverse order, whose outputs
// are m. A phase without taps is the bias. stride_y * stride_x phases make up the map, each with
// packed weights of its own; their outputs interleave. Which phase an output belongs to follows
// from its place on the whole map, so no cut changes a bit.
#pragma once

#include "devices/kernels/direct.hpp"

namespace shingle::kernels {

struct PhasedConvolution {
  FilterShape filter;             // with all taps; one group, or, depthwise, one per channel
  Window y, x;                    // kernel sizes equal the filter's; pad_end is not used
  bool depthwise = false;         // every channel has a filter of its own (depthwise.hpp)
  const float* packed = nullptr;  // by pack_phases()
  int32_t batch = usual_batch;    // as DirectConvolution's
};

// Do its phases fit the kernels, and are packed weights at most a few times as large as the
// model's?
bool has_phases(const Window& y, const Window& x);

// The functions below REQUIRE has_phases().
std::size_t phased_floats(const PhasedConvolution& layer);

// Packs output channels `part` of a layer that is not depthwise. They begin where a panel does.
// weights: [part][inputs][kernel y][kernel x]; bias: empty or [part].
void pack_phases(const PhasedConvolution& layer, Span part, const float* weights,
                 std::span<const float> bias, float* packed);
// All channels of one that is. weights: [channels][kernel y][kernel x].
void pack_depthwise_phases(const PhasedConvolution& layer, const float* weights,
                           std::span<const float> bias, float* packed);

// As direct_scratch_floats().
std::size_t phased_scratch_floats(const PhasedConvolution& layer);

// As direct_convolution(). REQUIRES: all panels if depthwise.
void phased_convolution(const PhasedConvolution& layer, const InputRows& input,
                        const OutputRows& output, const Epilogue& epilogue, float* scratch,
                        PanelRange panels = {});

}  // namespace shingle::kernels
