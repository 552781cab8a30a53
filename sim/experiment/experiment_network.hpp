// The network of an experiment: what its cluster file describes, as a topology.
#pragma once

#include <string>
#include <vector>

#include "devices/files/experiment_file.hpp"
#include "partition/network/topology.hpp"

namespace shingle::sim {

// As the planner assumes it of boards at a switch.
inline constexpr Duration usual_message_latency = std::chrono::microseconds(200);

struct ExperimentNetwork {
  NetworkTopology topology;
  std::vector<std::string> names;  // by resource: "node 3 sends", "air of garden"
  // Hosts: the nodes in their order, then two for each [[flow]], which share its nodes' ports. So
  // flows have connections of their own, as another program's have.
  static uint32_t flow_source(const ExperimentFile& file, size_t flow) {
    return static_cast<uint32_t>(file.cluster.nodes.size() + 2 * flow);
  }
  static uint32_t flow_target(const ExperimentFile& file, size_t flow) {
    return flow_source(file, flow) + 1;
  }
};

// `start`: when the experiment begins; rates over time count from there. `message_latency`: of each
// message from port to port, besides the network's delay.
ExperimentNetwork network_of(const ExperimentFile& file, Time start,
                             Duration message_latency = usual_message_latency);

}  // namespace shingle::sim
