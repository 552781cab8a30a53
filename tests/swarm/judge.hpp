// The verdict on a run after its end.
#pragma once

#include "tests/swarm/fault_injector.hpp"
#include "tests/swarm/swarm.hpp"

namespace shingle::swarm {

// Checks the run's breaches, the end of each frame, and that no canvas is left.
void judge(const sim::VirtualCluster& cluster, bool at_rest, const FaultInjector& injector,
           Verdict& verdict);

// The number of frames that have not ended yet, although some machine can compute them.
size_t unended(const sim::VirtualCluster& cluster, const FaultInjector& injector);

// Reports such frames as violations. For a time by which all frames must have ended.
void judge_unended(const sim::VirtualCluster& cluster, const FaultInjector& injector,
                   Verdict& verdict);

}  // namespace shingle::swarm
