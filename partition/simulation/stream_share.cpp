#include "partition/simulation/stream_share.hpp"

#include <algorithm>
#include <cassert>

#include "partition/cluster/slowness.hpp"

namespace shingle {
namespace {

// Of a node, beside what its program takes however many streams there are.
int64_t stream_bytes(const Cluster& cluster, const NodeLoad& load, std::optional<NodeId> owner) {
  if (!cluster.footprint) return load.peak_bytes;
  const int64_t once =
      program_bytes(*cluster.footprint, member_count(cluster, owner), owner == load.node);
  return std::max<int64_t>(0, load.peak_bytes - once);
}

const TakenNode* find(const StreamShare& share, NodeId node) {
  const auto found = std::find_if(share.begin(), share.end(),
                                  [&](const TakenNode& each) { return each.node == node; });
  return found == share.end() ? nullptr : &*found;
}

}  // namespace

StreamShare share_of(const Cluster& cluster, std::optional<NodeId> owner, const Timeline& line,
                     Duration period) {
  assert(line.nodes.size() == cluster.nodes.size());
  period = std::max({period, line.period, Duration{1}});
  StreamShare share;
  for (size_t i = 0; i < cluster.nodes.size(); ++i) {
    const ClusterNode& node = cluster.nodes[i];
    const NodeLoad& load = line.nodes[i];
    const int64_t bytes = stream_bytes(cluster, load, owner);
    if (load.busy == Duration::zero() && bytes == 0) continue;
    const int64_t slots = std::max(1, profile_of(node).slots);
    const double busy = in_nanoseconds(load.busy) / in_nanoseconds(slots * period);
    share.push_back({.node = node.id, .busy = std::min(busy, 1.0), .bytes = bytes});
  }
  return share;
}

StreamShare together(StreamShare one, const StreamShare& other) {
  for (const TakenNode& added : other) {
    const auto place = std::find_if(one.begin(), one.end(),
                                    [&](const TakenNode& each) { return each.node == added.node; });
    if (place == one.end()) {
      one.push_back(added);
    } else {
      place->busy = std::min(1.0, place->busy + added.busy);
      place->bytes += added.bytes;
    }
  }
  return one;
}

ClusterNode beside(ClusterNode node, const StreamShare& others) {
  const TakenNode* taken = find(others, node.id);
  if (taken == nullptr) return node;
  if (node.memory_bytes > 0)  // 0 would mean that there is no cap
    node.memory_bytes = std::max<int64_t>(1, node.memory_bytes - taken->bytes);
  const double left = 1.0 - std::min(taken->busy, max_busy_by_others);
  return left < 1.0 ? slowed(std::move(node), 1.0 / left) : node;
}

Cluster beside(Cluster cluster, const StreamShare& others) {
  for (ClusterNode& node : cluster.nodes) node = beside(std::move(node), others);
  return cluster;
}

}  // namespace shingle
