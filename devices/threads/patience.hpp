// How threads that share work wait for each other: they spin for about as long as falling asleep
// and waking up would take, then they sleep.
#pragma once

#include <atomic>
#include <thread>

namespace shingle {

// Returns when the value may no longer be `value`.
template <class Value>
void wait_while(const std::atomic<Value>& atomic, Value value) {
  // About 50 us, in which other threads may have the core. The loops of a pass follow each other
  // faster than that.
  constexpr int spins = 200;
  for (int i = 0; i < spins; ++i) {
    if (atomic.load(std::memory_order_acquire) != value) return;
    std::this_thread::yield();
  }
  atomic.wait(value, std::memory_order_acquire);
}

}  // namespace shingle
