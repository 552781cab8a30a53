// Every allocation of the test program, counted; and one of them, or all from then on, made to
// fail.
#pragma once

#include <cstdint>

namespace shingle::tests {

int64_t allocations();   // so far
int64_t blocks_alive();  // now

// While it lives, this thread's allocations fail from the one after `good` others on.
class ShortMemory {
 public:
  explicit ShortMemory(int64_t good);
  ~ShortMemory();
  ShortMemory(const ShortMemory&) = delete;
  ShortMemory& operator=(const ShortMemory&) = delete;
};

}  // namespace shingle::tests
