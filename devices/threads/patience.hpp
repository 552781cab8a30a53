// How threads that share work wait for each other: awake for about as long as it takes to fall
// asleep and be woken, then asleep.
#pragma once

#include <atomic>
#include <thread>

namespace shingle {

// Returns when the value may no longer be `value`.
template <class Value>
void wait_while(const std::atomic<Value>& atomic, Value value) {
  // About 50 us, in which others may have the core: the loops of a pass follow each other within
  // less.
  constexpr int spins = 200;
  for (int i = 0; i < spins; ++i) {
    if (atomic.load(std::memory_order_acquire) != value) return;
    std::this_thread::yield();
  }
  atomic.wait(value, std::memory_order_acquire);
}

}  // namespace shingle
