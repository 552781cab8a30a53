// The verdict on a run that has come to its end.
#pragma once

#include "tests/swarm/saboteur.hpp"
#include "tests/swarm/swarm.hpp"

namespace shingle::swarm {

// What the run left: breaches, frames and their fates, canvases.
void judge(const sim::VirtualCluster& cluster, bool at_rest, const Saboteur& saboteur,
           Verdict& verdict);

// Frames that have not ended, although somebody is left to compute them: so far, ...
size_t unended(const sim::VirtualCluster& cluster, const Saboteur& saboteur);

// ... and when they should have.
void judge_unended(const sim::VirtualCluster& cluster, const Saboteur& saboteur, Verdict& verdict);

}  // namespace shingle::swarm
