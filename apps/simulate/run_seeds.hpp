// Runs an experiment once for each seed, several at a time.
#pragma once

#include <functional>
#include <vector>

#include "sim/experiment/seed_run.hpp"

namespace shingle {

struct SeedRuns {
  uint64_t first_seed = 1;
  uint32_t runs = 1, threads = 1;
  sim::SeedRunOptions first{};      // of the first run; what it draws and traces
  sim::StartSimulator simulator{};  // of packets, for each run; none: the fluid model
  // Called on the calling thread, several times a second: how much is done, from 0 to `runs`.
  // False: runs under way end, and those that are done are the result.
  std::function<bool(double done)> go_on{};
  std::function<void(const sim::RunResult&)> on_run{};  // likewise, as runs end
};

// By seed; empty only if ended early. The error is that of the first seed that has one.
Result<std::vector<sim::RunResult>> run_seeds(const sim::Experiment& experiment,
                                              const SeedRuns& wanted);

}  // namespace shingle
