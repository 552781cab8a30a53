// WeightWatch: notices changes in memory that nobody should write to any more: weights in the
// layout of the kernels. A bit may flip in a memory cell, or a bug may write to them.
//
//   layer 0   [ 64 KiB | 64 KiB | rest ]   a CRC-32C each, taken when the weights were packed
//   layer 1   [ 64 KiB | ...                                 ^
//                                          look() compares from here on, round and round
//
// It knows which layer has changed, but not which bits or how many. Thread-safe; add() and remove()
// wait for at most one look().
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
  // Watches these bytes until remove(). REQUIRES: until then nobody writes to them or frees them.
  // Does nothing if they are watched already.
  void add(LayerId layer, std::span<const std::byte> bytes);
  // Does nothing if they are not watched.
  void remove(std::span<const std::byte> bytes);

  // Checks this share of all bytes (1: all) in whole pieces, at least one, and goes on where the
  // last call ended. Returns the first layer whose bytes have changed, if any.
  std::optional<LayerId> look(double share);

  int64_t bytes() const;

 private:
  struct Piece {
    LayerId layer;
    const std::byte* of = nullptr;  // the begin of the span that was added
    std::span<const std::byte> bytes;
    uint32_t checksum = 0;
  };

  mutable std::mutex mutex_;
  std::vector<Piece> pieces_;
  std::unordered_set<const std::byte*> known_;  // the begins of all added spans
  int64_t bytes_ = 0;
  size_t next_ = 0;
};

}  // namespace shingle
