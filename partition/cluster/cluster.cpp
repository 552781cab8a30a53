#include "partition/cluster/cluster.hpp"

#include <algorithm>

namespace shingle {

NodeProfile profile_of(const ClusterNode& node) {
  return node.profile ? *node.profile : profile_of(node.gflops);
}

size_t member_count(const Cluster& cluster, std::optional<NodeId> owner) {
  const bool is_node = std::any_of(cluster.nodes.begin(), cluster.nodes.end(),
                                   [&](const ClusterNode& node) { return node.id == owner; });
  return cluster.nodes.size() + (is_node ? 0 : 1);
}

WinogradUse worthwhile_winograd(const Cluster& cluster, const Goal& goal) {
  for (const ClusterNode& node : cluster.nodes) {
    if (gains_by_winograd(profile_of(node))) return goal.winograd;
  }
  return WinogradUse::never;
}

namespace {

constexpr const char* goal_names[] = {"latency", "throughput", "energy", "memory"};

}  // namespace

const char* name_of(Goal::Kind kind) { return goal_names[static_cast<size_t>(kind)]; }

std::optional<Goal::Kind> goal_named(std::string_view name) {
  for (size_t i = 0; i < std::size(goal_names); ++i) {
    if (name == goal_names[i]) return static_cast<Goal::Kind>(i);
  }
  return std::nullopt;
}

}  // namespace shingle
