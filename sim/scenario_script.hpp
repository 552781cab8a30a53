// The commands of a scenario after reading: a cluster, a model, plans and events.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cluster.hpp"

namespace shingle::sim {

struct Script {
  ClusterOptions options;
  NodeLimits limits;
  std::optional<Model> model;
  std::map<std::string, Plan> plans;
  std::vector<std::function<void(VirtualCluster&)>> events;
  Duration until = std::chrono::seconds(10);
  bool computes = false, messages = false, pieces = false;
};

// The error names the line.
Result<Script> read_script(std::string_view text);

// "16x16x1", then one word per layer: "conv3:8s2" is a 3x3 convolution to 8 channels with stride 2,
// "pool2" halves. Nothing if a word is not understood.
std::optional<Model> described_model(const std::string& shape,
                                     const std::vector<std::string>& layers);

}  // namespace shingle::sim
