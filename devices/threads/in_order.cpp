#include "devices/threads/in_order.hpp"

#include <cassert>

#include "devices/threads/patience.hpp"

namespace shingle {

void InOrder::reserve(size_t pieces) {
  if (pieces <= room_) return;
  ended_in_ = std::make_unique<std::atomic<uint32_t>[]>(pieces);
  room_ = pieces;
}

void InOrder::begin() {
  if (++round_ == 0) {
    for (size_t piece = 0; piece < room_; ++piece) ended_in_[piece] = 0;
    round_ = 1;
  }
  for (Known& known : known_) known.ended = 0;
}

void InOrder::wait_for(size_t count, int thread) {
  assert(count <= room_);
  size_t& known = known_[static_cast<size_t>(thread)].ended;
  for (; known < count; ++known) {
    const std::atomic<uint32_t>& ended_in = ended_in_[known];
    for (uint32_t round = ended_in.load(std::memory_order_acquire); round != round_;
         round = ended_in.load(std::memory_order_acquire)) {
      wait_while(ended_in, round);
    }
  }
}

// The store must be seen before notify_all looks for sleepers, or one that falls asleep meanwhile
// would be missed: released alone, it may still wait in this core's buffer.
void InOrder::ended(size_t piece) {
  ended_in_[piece].store(round_, std::memory_order_seq_cst);
  ended_in_[piece].notify_all();
}

}  // namespace shingle
