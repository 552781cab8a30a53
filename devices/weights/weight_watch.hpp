// WeightWatch: notices when memory that nobody writes to any more has changed: weights as kernels
// read them, after a bit flipped in a memory cell or somebody wrote where he should not.
//
//   layer 0   [ 64 KiB | 64 KiB | rest ]   a CRC-32C each, taken when the weights were packed
//   layer 1   [ 64 KiB | ...                                 ^
//                                          look() compares from here on, round and round
//
// Which layer it was can be said; which bit, or that it was one alone, can not. Any thread: whoever
// adds or removes waits for a look at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "partition/base/ids.hpp"

namespace shingle {

class WeightWatch {
 public:
  // From now on these bytes stay what they are and where they are, until they are removed. Nothing
  // happens if it knows them already.
  void add(LayerId layer, std::span<const std::byte> bytes);
  // Nothing happens if it does not know them.
  void remove(std::span<const std::byte> bytes);

  // Looks at so much of all bytes (1: at all) in whole pieces, at least at one, where the last call
  // ended. The first layer whose bytes have changed, if any has.
  std::optional<LayerId> look(double share);

  int64_t bytes() const;

 private:
  struct Piece {
    LayerId layer;
    const std::byte* of = nullptr;  // where the span that was added begins
    std::span<const std::byte> bytes;
    uint32_t checksum = 0;
  };

  mutable std::mutex mutex_;
  std::vector<Piece> pieces_;
  std::unordered_set<const std::byte*> known_;  // where each added span begins
  int64_t bytes_ = 0;
  size_t next_ = 0;
};

}  // namespace shingle
