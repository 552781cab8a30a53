// What the planner needs to know of a cluster file: its library knows kernels, the file's does not.
#include <algorithm>

#include "devices/budget/memory_cap.hpp"
#include "devices/files/cluster_points.hpp"
#include "devices/native/native_footprint.hpp"

namespace shingle {

NodeProfile costs_of(const ClusterFileNode& node) {
  if (node.pace) return paced_profile(node.gflops);
  if (!node.device) return profile_of(node.gflops);
  const NodeProfile costs = costs_on(*node.device, node.cores);
  return slowed(costs, gflops_of(costs) / node.gflops);
}

Cluster planner_cluster(const ClusterFile& file) {
  Cluster cluster;
  if (file.network.kind == NetworkKind::shared) {
    cluster.medium_mbps = file.network.mbps * medium_goodput_share;
  }
  if (const NetworkPoint* cell = only_cell(file)) cluster.medium_mbps = air_mbps(*cell);
  for (const ClusterFileNode& node : file.nodes) {
    ClusterNode planned{.id = node.id,
                        .gflops = node.gflops,
                        .link_mbps = std::min(up_mbps_of(node), down_mbps_of(node)) * goodput_share,
                        .memory_bytes = node.memory_bytes};
    planned.link_latency_us += file.network.delay_ms * 1000.0;
    planned.profile = costs_of(node);
    cluster.nodes.push_back(std::move(planned));
  }
  const bool capped = std::any_of(file.nodes.begin(), file.nodes.end(),
                                  [](const auto& node) { return node.memory_bytes > 0; });
  if (!capped) return cluster;
  cluster.footprint = native_footprint(executor_threads(file));
  cluster.weights = WeightPlaces::at_home;
  return cluster;
}

}  // namespace shingle
