// Winograd convolution F(4x4, 3x3): 36 multiplications instead of 144 for sixteen outputs (Lavin &
// Gray 2015). The stages are fused block by block, so that transformed values stay in the cache:
//
//   for each block of tiles, for some inputs at a time:
//                              V[36][tiles][inputs]  = B^T d B of each tile's 6x6 pixels (L2)
//     for each panel:          M[36][tiles][outputs] (+)= 36 GEMMs  V[p] x U[p]
//       after the last inputs: 4x4 outputs           = A^T M A, bias, activation, max-pool (stored)
//
// Every panel reads V from L2. V of all inputs of a deep layer would not fit there, so the inputs
// are taken in several parts. Then M of all panels is kept; it need not fit L2, because each part
// of the inputs reads and writes it only once. With one part, M of one panel is enough.
//
// Vector lanes are channels in all stages. The interpolation points are 0, +-3/4, +-3/2 and
// infinity. With them every constant of the data transforms is exact in binary, and the error is
// half of that of the usual points 0, +-1, +-2 (rms relative to double: 0.6e-6 at 32 channels to
// 1.5e-6 at 256, against 1.2e-6 to 3.1e-6).
//
// Tiles lie on a grid that starts at the map's (0, 0). So an output has the same operands in the
// same order whatever the region, blocking or thread. The price: a region is rounded out to
// multiples of 4, and the input for all of it must be stored.
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/kernels/epilogue.hpp"
#include "devices/kernels/panel.hpp"
#include "devices/kernels/rows.hpp"

namespace shingle::kernels {

inline constexpr int32_t winograd_tile = 4;

// A 3x3 kernel, stride and dilation 1, one group.
struct WinogradConvolution {
  FilterShape filter;
  int32_t pad_y = 0, pad_x = 0;   // at the beginning of each axis
  const float* packed = nullptr;  // by pack(), or transformed by winograd_weights()
  bool transformed = false;       // if not, each call computes U panel by panel: the same bits in a
                                  // quarter of the memory
};

// Changes speed and scratch, no bits. `tiles`: of one block. `depth`: input channels whose weights
// are transformed at a time, if they are not kept transformed. `channels`: input channels of V at a
// time; 0: all.
struct WinogradBlocking {
  int32_t tiles = 0, depth = 0, channels = 0;
};
WinogradBlocking winograd_blocking(const WinogradConvolution& layer, std::size_t level2_bytes);

// U = G g G^T for every panel. REQUIRES: transformed holds winograd_floats(filter).
std::size_t winograd_floats(const FilterShape& filter);
void winograd_weights(const FilterShape& filter, const float* packed, float* transformed);

// Floats of scratch that one call needs. Each thread needs its own, 64-byte aligned.
std::size_t winograd_scratch_floats(const WinogradConvolution& layer, WinogradBlocking blocking);

// Computes panels [first, last) of the region `output`. With `pool`, output is the 2x2 stride-2
// max-pooled map and its region is in that map's coordinates. REQUIRES: input holds every element
// of the map that the region, rounded out to the grid, reads. Does not allocate. Threads may share
// everything except scratch and what they write.
struct WinogradCall {
  Epilogue epilogue;
  bool pool = false;  // REQUIRES: no residual
  WinogradBlocking blocking;
  int32_t first_panel = 0, last_panel = -1;  // -1: all
};
void winograd_convolution(const WinogradConvolution& layer, const InputRows& input,
                          const OutputRows& output, const WinogradCall& call, float* scratch);

}  // namespace shingle::kernels
