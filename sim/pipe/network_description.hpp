// What a network simulator in another process is told about a network of the fluid model, so that
// both simulate the same one.
#pragma once

#include "partition/base/result.hpp"
#include "partition/network/topology.hpp"
#include "sim/pipe/piped_topology.hpp"

namespace shingle::sim {

// The fluid model knows what an air carries, not how: a simulator of packets needs the radio mode.
struct RadioMode {
  uint32_t air = 0;  // a resource of the topology
  AirKind kind = AirKind::access_point;
  std::string mode;  // as in PipedCell
};

// Host i has id i; point p is switch, or access point, hosts + p. Hosts that share a port have a
// switch of their own before it, which they reach at once; those that share an air are stations.
// All hosts are connected with each other. Rates of payload become rates of packets. A wire has one
// delay: the mean of its two latencies. The error says what cannot be described: an air without a
// mode, a shared medium that is no air.
Result<PipedTopology> describe(const NetworkTopology& network, const std::vector<RadioMode>& radios,
                               uint64_t seed);

}  // namespace shingle::sim
