// InOrder: says which pieces of work have ended, for threads that take them in order and wait for
// earlier ones.
//
// One thread begins a round while no other is in it; begin() must happen before all else of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace shingle {

class InOrder {
 public:
  explicit InOrder(int threads) : known_(static_cast<size_t>(threads)) {}

  // For rounds of at most so many pieces.
  void reserve(size_t pieces);

  void begin();
  // Piece 0 .. count-1 have ended when it returns, and what they wrote can be seen. REQUIRES: each
  // of them has ended, or is under way on another thread or sure to be.
  void wait_for(size_t count, int thread);
  void ended(size_t piece);

 private:
  struct alignas(64) Known {
    size_t ended = 0;  // pieces from the front
  };

  uint32_t round_ = 0;  // never 0 in a round
  size_t room_ = 0;
  std::unique_ptr<std::atomic<uint32_t>[]> ended_in_;  // by piece: the round
  std::vector<Known> known_;                           // by thread
};

}  // namespace shingle
