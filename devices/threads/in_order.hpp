// InOrder: knows which pieces of work have ended, for threads that take pieces in order and wait
// for earlier ones.
//
// A round is the work on one list of pieces. One thread calls begin() while no other thread is in a
// round, and before all other calls of this round.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace shingle {

class InOrder {
 public:
  explicit InOrder(int threads) : known_(static_cast<size_t>(threads)) {}

  // Reserves memory for rounds of at most so many pieces.
  void reserve(size_t pieces);

  void begin();
  // Waits until pieces 0 .. count-1 have ended; then the caller sees what they wrote. REQUIRES:
  // each of them has ended, or runs on another thread, or certainly will.
  void wait_for(size_t count, int thread);
  void ended(size_t piece);

 private:
  struct alignas(64) Known {
    size_t ended = 0;  // so many pieces at the front are known to have ended
  };

  uint32_t round_ = 0;  // never 0 in a round
  size_t room_ = 0;
  std::unique_ptr<std::atomic<uint32_t>[]> ended_in_;  // by piece: the last round in which it ended
  std::vector<Known> known_;                           // by thread
};

}  // namespace shingle
