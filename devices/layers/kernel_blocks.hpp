// KernelBlocks: how our kernels cut a layer into blocks that fit the caches. Changes speed and
// scratch, no bits.
#pragma once

#include <cstdint>

namespace shingle {

// 0 means the default, which is computed from the size of L2 (kernels/direct.hpp,
// kernels/winograd.hpp).
struct KernelBlocks {
  int32_t batch = 0;  // direct: blocks of pixels that read a panel's weights one after the other
  int32_t tiles = 0;  // Winograd: tiles of a block
  int32_t depth = 0;  // Winograd, weights not kept transformed: channels of U at a time
  friend bool operator==(const KernelBlocks&, const KernelBlocks&) = default;
};

}  // namespace shingle
