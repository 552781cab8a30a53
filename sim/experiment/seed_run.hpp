// One run of an experiment: the real Nodes in virtual time, with the rules of runtime/owner, as
// `shingle run` has them. The seed decides everything that is drawn.
#pragma once

#include <functional>

#include "runtime/protocol/trace.hpp"
#include "sim/experiment/experiment.hpp"
#include "sim/experiment/packets.hpp"
#include "sim/experiment/results.hpp"

namespace shingle::sim {

struct SeedRunOptions {
  size_t spans = 0;  // to keep for drawing, at most, from the end of the warm-up on
  std::function<void(const TraceEvent&)> on_trace{};  // times count from the start of the run
  // Asked now and then, with the share of the experiment that is done. False: the run ends here.
  std::function<bool(double share)> go_on{};
  StartSimulator simulator{};  // of packets; none: the fluid model
};

// The error: the nodes were never ready for a plan, the run was ended, or the network simulator
// cannot do this or did not keep to the protocol.
Result<RunResult> run_seed(const Experiment& experiment, uint64_t seed,
                           const SeedRunOptions& options = {});

}  // namespace shingle::sim
