// A run of an experiment that has flows and nothing else: the network alone, without nodes.
#pragma once

#include "sim/experiment/experiment.hpp"
#include "sim/experiment/results.hpp"
#include "sim/experiment/seed_run.hpp"

namespace shingle::sim {

// REQUIRES: no sources. Times in the result count as in run_seed(). The error is the network
// simulator's.
Result<RunResult> run_flows(const Experiment& experiment, uint64_t seed,
                            const SeedRunOptions& options);

}  // namespace shingle::sim
