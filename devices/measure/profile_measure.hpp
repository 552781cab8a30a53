// Measures this machine: the costs of a call, a MAC and an element for each kind of layer.
//
// For each kind, chains of a few layers (profile_trials.hpp) run whole and as small tiles on the
// executor that will be used later. The planner's formula is fitted to the times (profile_fit.hpp).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "devices/executor/executor.hpp"
#include "devices/files/profile_file.hpp"
#include "devices/measure/profile_fit.hpp"

namespace shingle {

struct MeasureOptions {
  // Makes a fresh executor: each model needs its own.
  std::function<std::unique_ptr<Executor>()> make_executor;
  // A clock with any zero point. Tests pass their own.
  std::function<std::chrono::nanoseconds()> now;
  // For each chain, whole and as a tile.
  std::chrono::nanoseconds time_for_each{std::chrono::milliseconds(60)};
  std::function<void(size_t done, size_t of)> on_progress{};
};

struct Measured {
  NodeProfile costs;
  std::array<double, work_kinds> worst_error{};  // by WorkKind
};
// The error names the layer that the executor cannot run.
Result<Measured> measure(const MeasureOptions& options);

// How many times faster a convolution is with all threads than with one; at least 1.
Result<double> measure_speedup(const MeasureOptions& one_thread, const MeasureOptions& all_threads);

// GB/s when copying a block much larger than any cache. Reading and writing both count.
double measure_memory_gbps(const std::function<std::chrono::nanoseconds()>& now);

}  // namespace shingle
