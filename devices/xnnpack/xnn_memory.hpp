// Counts XNNPACK's memory: the library is initialised with an allocator that counts every block in
// the account of the caller.
#pragma once

#include <cstddef>
#include <memory>

#include "devices/executor/memory_account.hpp"
#include "partition/base/result.hpp"

namespace shingle {

// Initialises XNNPACK with the counting allocator, once in a process. Later calls return the result
// of the first one.
Status initialise_xnnpack();

// While it lives, XNNPACK's allocations on this thread are counted in `account`. A block keeps its
// account until it is freed, on whatever thread.
class CountXnnpack {
 public:
  explicit CountXnnpack(MemoryAccount& account);
  ~CountXnnpack();
  CountXnnpack(const CountXnnpack&) = delete;
  CountXnnpack& operator=(const CountXnnpack&) = delete;

 private:
  MemoryAccount* previous_;
};

// Additional memory for an operator, counted in the same way. Contents are undefined.
class XnnWorkspace {
 public:
  // Holds at least `bytes` afterwards; false if memory is short or the alignment is not possible.
  bool reserve(size_t bytes, size_t alignment);
  void* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> memory_;
  size_t bytes_ = 0;
};

}  // namespace shingle
