// Measures this machine: what a call, a MAC and an element cost for each kind of layer.
//
// Each kind runs a few layers of one operator, each whole and as a small tile, on the executor that
// will compute; what a step takes is then fitted (least squares of the relative errors) by the
// planner's own formula, ns_per_call + x * slope, where x is MACs for what multiplies weights and
// output elements for the rest.
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
  // A fresh executor: each model needs its own.
  std::function<std::unique_ptr<Executor>()> make_executor;
  // From any beginning. Tests pass one of their own.
  std::function<std::chrono::nanoseconds()> now;
  std::chrono::nanoseconds time_for_each{std::chrono::milliseconds(150)};  // layer, whole or tile
  std::function<void(size_t done, size_t of)> on_progress{};
};

struct Measured {
  NodeProfile costs;
  std::array<double, work_kinds> worst_error{};  // by WorkKind
};
// The sentence names the layer that the executor cannot run.
Result<Measured> measure(const MeasureOptions& options);

// How much faster the second executor's threads are than the first's, on a convolution: at least 1.
Result<double> measure_speedup(const MeasureOptions& one_thread, const MeasureOptions& all_threads);

// GB/s of copying a block much larger than any cache, reading and writing both counted.
double measure_memory_gbps(const std::function<std::chrono::nanoseconds()>& now);

}  // namespace shingle
