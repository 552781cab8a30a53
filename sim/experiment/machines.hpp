// The machines and the wires of an experiment, as VirtualCluster takes them.
#pragma once

#include <map>

#include "sim/cluster.hpp"
#include "sim/experiment/experiment.hpp"
#include "sim/experiment/experiment_network.hpp"

namespace shingle::sim {

ClusterOptions machines_of(const Experiment& experiment, uint64_t seed);

// Weights of the tiles that plans give to the node.
int64_t weight_bytes_of(const Experiment& experiment, NodeId id);

// How long a message of so many bytes takes from node to node if it is alone, and TCP's windows are
// open.
class AloneTimes {
 public:
  explicit AloneTimes(const Experiment& experiment);
  Duration operator()(NodeId from, NodeId to, int64_t bytes) const;

 private:
  struct Route {
    Duration latency{};
    double ns_per_byte = 0.0;
  };
  std::map<std::pair<NodeId, NodeId>, Route> routes_;
};

}  // namespace shingle::sim
