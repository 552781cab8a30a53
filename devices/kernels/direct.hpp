// Direct convolution as a GEMM whose left matrix is read in place from the rows: any kernel,
// stride, dilation, groups.
//
// Each output is bias, then one fused multiply-add per weight in the order (ky, kx, input channel),
// in one accumulator. That is the order of XNNPACK's f32 igemm micro-kernels, so either gives the
// same bits on processors with FMA, and no block size, window or thread count changes any.
#pragma once

#include <cstddef>

#include "devices/kernels/epilogue.hpp"
#include "devices/kernels/panel.hpp"
#include "devices/kernels/rows.hpp"
#include "partition/model/window.hpp"

namespace shingle::kernels {

// Blocks of pixels that read a panel's weights in turn, so that all but the first find them in L2.
// Changes speed and scratch, no bits. At least 1.
inline constexpr int32_t usual_batch = 8, most_batch = 32;

struct DirectConvolution {
  FilterShape filter;
  Window y, x;                    // kernel sizes equal the filter's; pad_end is not used
  const float* packed = nullptr;  // by pack()
  int32_t batch = usual_batch;
};

// Floats of scratch that one call needs, whatever the window. 64-byte aligned, one per thread.
std::size_t direct_scratch_floats(const FilterShape& filter, int32_t batch = usual_batch);

// Computes output channels [first_panel, last_panel) x NR (all if last_panel < 0; panels counted
// through all groups) in the window `output`, whose row pointers point to channel 0. Does not
// allocate. Threads may share everything but scratch and what they write.
struct PanelRange {
  int32_t first = 0, last = -1;
};
void direct_convolution(const DirectConvolution& layer, const InputRows& input,
                        const OutputRows& output, const Epilogue& epilogue, float* scratch,
                        PanelRange panels = {});

// The same followed by a 2x2 stride-2 max-pool, which never leaves the registers; `output` is the
// pooled map and its window in that map's coordinates. REQUIRES: no residual; rises(activation), so
// that the maximum may be taken first.
bool rises(const Activation& activation);
void direct_convolution_pooled(const DirectConvolution& layer, const InputRows& input,
                               const OutputRows& output, const Epilogue& epilogue, float* scratch,
                               PanelRange panels = {});

}  // namespace shingle::kernels
