// Runs the designs of a sweep on several threads.
#pragma once

#include <functional>
#include <vector>

#include "apps/sweep/result_store.hpp"

namespace shingle {

struct SweepRun {
  uint32_t threads = 1;
  Shard shard{};
  // Called on the calling thread, several times a second: how many designs are done. False: those
  // under way end, and no other begins.
  std::function<bool(size_t done)> go_on{};
};

// How many designs the method asks for, of this shard; the shards of nsga2 search on their own.
struct SweepSize {
  size_t designs = 0;  // of all shards
  size_t here = 0;
};

// The designs that a method without feedback runs: all, or those that are drawn; in order.
Result<std::vector<sim::Design>> designs_of(const PreparedSweep& sweep);
Result<SweepSize> size_of(const PreparedSweep& sweep, const Shard& shard);

struct SweepOutcome {
  std::vector<sim::DesignResult> results;  // ascending designs
  size_t from_before = 0;                  // that the store knew
  bool stopped = false;
};
// The error is that of the disk.
Result<SweepOutcome> run_sweep(const PreparedSweep& sweep, ResultStore& store,
                               const SweepRun& wanted);

}  // namespace shingle
