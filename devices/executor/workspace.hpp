// Workspace: the memory that layers need for computing, in addition to their maps. All layers of an
// executor share one. It is reserved before the first run, so that a run allocates nothing.
#pragma once

#include <memory>
#include <vector>

#include "devices/executor/executor.hpp"
#include "devices/executor/memory_account.hpp"

namespace shingle {

// What all threads share: the input of a strip with its border, and its output.
struct StripNeeds {
  int64_t input_bytes = 0, output_bytes = 0;
  friend bool operator==(const StripNeeds&, const StripNeeds&) = default;
};
struct StripBuffers {
  explicit StripBuffers(MemoryAccount& account) : input(account), output(account) {}
  void reserve(const StripNeeds& needs);
  AlignedBuffer input, output;
};

// What each thread needs for itself: numbers, and the addresses of rows.
struct ThreadNeeds {
  int64_t bytes = 0;
  size_t input_rows = 0, output_rows = 0;
  size_t inputs = 0;  // of the layer
  friend bool operator==(const ThreadNeeds&, const ThreadNeeds&) = default;
};
struct ThreadScratch {
  explicit ThreadScratch(MemoryAccount& account) : floats(account) {}
  void reserve(const ThreadNeeds& needs);
  AlignedBuffer floats;
  std::vector<const float*> input_rows, added_rows;
  std::vector<float*> output_rows;
  std::vector<ConstTensorView> inputs;
};

// What one run of a layer needs.
struct WorkNeeds {
  StripNeeds strips{};
  ThreadNeeds thread{};
  friend bool operator==(const WorkNeeds&, const WorkNeeds&) = default;
};
WorkNeeds larger(const WorkNeeds& a, const WorkNeeds& b);  // enough for both

struct Workspace {
  // REQUIRES: threads >= 1. The account must outlive it.
  Workspace(MemoryAccount& account, int threads);
  void reserve(const WorkNeeds& needs);

  StripBuffers strips;
  std::vector<std::unique_ptr<ThreadScratch>> threads;
};

}  // namespace shingle
