// XNNPACK's memory, counted: the allocator that the library is initialised with notes every block
// in the account of whoever is calling it.
#pragma once

#include <cstddef>
#include <memory>

#include "devices/executor/memory_account.hpp"
#include "partition/base/result.hpp"

namespace shingle {

// Initialises XNNPACK with the counting allocator, once per process; later calls give the first
// one's outcome.
Status initialise_xnnpack();

// While it lives, what XNNPACK allocates on this thread is counted in `account`. A block keeps its
// account until it is freed, wherever that happens.
class CountXnnpack {
 public:
  explicit CountXnnpack(MemoryAccount& account);
  ~CountXnnpack();
  CountXnnpack(const CountXnnpack&) = delete;
  CountXnnpack& operator=(const CountXnnpack&) = delete;

 private:
  MemoryAccount* previous_;
};

// Memory that an operator needs beside its own, counted like it. Contents are undefined.
class XnnWorkspace {
 public:
  // Holds at least `bytes` afterwards; false if memory is short or the alignment is not to be had.
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
