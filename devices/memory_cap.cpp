#include "devices/memory_cap.hpp"

#include <algorithm>

#include "devices/native_footprint.hpp"
#include "partition/timeline.hpp"

namespace shingle {

void cap_memory(Cluster& cluster, int64_t bytes, int threads) {
  for (ClusterNode& node : cluster.nodes) node.memory_bytes = bytes;
  cluster.footprint = native_footprint(threads);
  cluster.weights = WeightPlaces::at_home;
}

int executor_threads(const ClusterFile& file) {
  int most = 1;
  for (const ClusterFileNode& node : file.nodes)
    if (!node.pace) most = std::max(most, node.cores);
  return most;
}

Status may_hold(const ClusterFile& file, const CappedNode& node, const Model& model,
                const Plan& plan) {
  if (node.memory_bytes == 0) return success();
  Cluster cluster = planner_cluster(file);
  cluster.footprint = native_footprint(node.threads);
  cluster.weights = plan.weights;
  const auto at = [&](NodeId id) {
    return std::find_if(cluster.nodes.begin(), cluster.nodes.end(),
                        [&](const ClusterNode& each) { return each.id == id; });
  };
  for (const NodeId home : homes(plan))
    if (at(home) == cluster.nodes.end()) return success();
  if (at(node.id) == cluster.nodes.end()) return success();
  const Timeline line = simulate(model, cluster, plan, node.owner, steady_stream(node.open_frames));
  const NodeLoad& load = line.nodes[static_cast<size_t>(at(node.id) - cluster.nodes.begin())];
  if (load.peak_bytes <= node.memory_bytes) return success();
  return Error{"it may use " + memory_words(node.memory_bytes) + " and the plan asks for " +
               memory_words(load.peak_bytes) + " (" + parts(load) +
               "); plan with this cap, or raise it"};
}

}  // namespace shingle
