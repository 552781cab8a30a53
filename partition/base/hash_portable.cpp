#include "partition/base/hash_blocks.hpp"

namespace shingle {

void absorb(HashState& state, const std::byte* at, size_t blocks) {
  absorb_plainly(state, at, blocks);
}

}  // namespace shingle
