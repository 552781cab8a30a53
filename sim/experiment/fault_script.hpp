// The faults of an experiment, as VirtualCluster's script knows them.
#pragma once

#include "devices/files/experiment_file.hpp"
#include "sim/cluster.hpp"

namespace shingle::sim {

// REQUIRES: its nodes are in the cluster.
void put_in(VirtualCluster& cluster, Time at, const ExperimentFault& fault);

}  // namespace shingle::sim
