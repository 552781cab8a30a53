// The network of a planner's cluster.
#pragma once

#include "partition/cluster/cluster.hpp"
#include "partition/network/fluid.hpp"

namespace shingle {

// Hosts: the cluster's nodes in their order, and one more: an owner that is not in the cluster, as
// fast as the fastest node.
NetworkTopology network_of(const Cluster& cluster);

// Bytes per second of a rate in Mb/s; at least one bit per second.
double bytes_per_second(double mbps);

}  // namespace shingle
