// Runs of an experiment whose packets are simulated by another process, instead of the fluid model.
#pragma once

#include <functional>

#include "sim/experiment/experiment.hpp"
#include "sim/experiment/experiment_network.hpp"
#include "sim/virtual_network.hpp"

namespace shingle::sim {

// Starts a simulator's process, one for each run. Its thread must live as long as the run.
using StartSimulator = std::function<Result<Exchange>()>;

// What to simulate a run's packets with. The error says what cannot be simulated, or is that of
// the process.
Result<PipedNetwork> open_packets(const Experiment& experiment, const ExperimentNetwork& network,
                                  const StartSimulator& start, uint64_t seed);

// Beside drawn_parts(): nobody else knows what that is, or whether it is nothing.
inline constexpr const char* drawn_by_simulator = "what the network simulator draws";

}  // namespace shingle::sim
