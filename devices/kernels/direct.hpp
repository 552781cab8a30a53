// Direct convolution as a GEMM that reads its left matrix in place from the input rows. Any kernel
// size, stride, dilation and groups.
//
// Each output has one accumulator: it starts with the bias; one fused multiply-add follows for each
// weight in the order (ky, kx, input channel). XNNPACK's f32 igemm micro-kernels have the same
// order, so both give the same bits on processors with FMA. Block size, output region and thread
// count change no bit if the weights are finite. Taps that only read padding are left out, and a
// bias of -0 counts as 0, so that zeros which are left out would not have changed a sum.
#pragma once

#include <cstddef>

#include "devices/kernels/epilogue.hpp"
#include "devices/kernels/panel.hpp"
#include "devices/kernels/rows.hpp"
#include "partition/model/window.hpp"

namespace shingle::kernels {

// How many blocks of pixels read a panel's weights one after the other; all but the first find them
// in L2. Changes speed and scratch, no bits. At least 1.
inline constexpr int32_t usual_batch = 8, max_batch = 32;

struct DirectConvolution {
  FilterShape filter;
  Window y, x;                    // kernel sizes equal the filter's; pad_end is not used
  const float* packed = nullptr;  // by pack()
  int32_t batch = usual_batch;
};

// Floats of scratch that one call needs, whatever its output region. Each thread needs its own,
// 64-byte aligned.
std::size_t direct_scratch_floats(const FilterShape& filter, int32_t batch = usual_batch);

// Computes panels [first, last) of output channels (all if last < 0; numbered through all groups)
// of the region `output`, whose row pointers point to channel 0. Does not allocate. Threads may
// share everything except scratch and what they write.
struct PanelRange {
  int32_t first = 0, last = -1;
};
void direct_convolution(const DirectConvolution& layer, const InputRows& input,
                        const OutputRows& output, const Epilogue& epilogue, float* scratch,
                        PanelRange panels = {});

// The same, followed by a 2x2 stride-2 max-pool in the registers. `output` is a region of the
// pooled map, in that map's coordinates. REQUIRES: no residual; rises(activation), because the
// maximum is taken before the activation.
bool rises(const Activation& activation);
void direct_convolution_pooled(const DirectConvolution& layer, const InputRows& input,
                               const OutputRows& output, const Epilogue& epilogue, float* scratch,
                               PanelRange panels = {});

}  // namespace shingle::kernels
