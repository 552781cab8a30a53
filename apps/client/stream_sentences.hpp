// What a stream of frames says of its cluster and its model.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "devices/files/cluster_file.hpp"
#include "partition/cluster/cluster.hpp"
#include "partition/model/model.hpp"

namespace shingle {

struct AwaitedHomes {
  const ClusterFile& cluster;
  NodeId self;
  const std::vector<NodeId>& homes;   // of the stream's plans
  const std::vector<NodeId>& joined;  // members that are connected
  std::chrono::milliseconds patience;
};
// Why a stream cannot begin: which homes are not connected, or that they do not get the plan ready.
std::string missing_homes(const AwaitedHomes& awaited);

// What was measured when the owner planned anew, node by node of the basis' cluster.
std::string new_speeds(const Cluster& cluster, const std::vector<double>& slowness);

// A refusal that names the model by its files' hash is completed by the file that has it here.
// Others stay, and all if no file is given.
std::string with_model_file(std::string sentence, const Model& model, const std::string& file);

}  // namespace shingle
