#include "partition/simulation/round_load.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {
namespace {

// An owner that is not in the cluster has the last index; it is no node of the cluster.
NodeId name(const Cluster& cluster, size_t node) {
  return node < cluster.nodes.size() ? cluster.nodes[node].id : NodeId{UINT32_MAX};
}

void add_traffic(const Cluster& cluster, const std::vector<const Dataflow*>& turns,
                 RoundLoad& round) {
  const size_t ends = cluster.nodes.size() + 1;
  std::vector<int64_t> links(ends * ends, 0);  // by sender and receiver
  for (const Dataflow* plan : turns)
    for (const Dataflow::StripTask& strip : plan->strips)
      if (strip.from != strip.to) links[strip.from * ends + strip.to] += strip.bytes;
  const auto count = static_cast<int64_t>(turns.size());
  for (size_t i = 0; i < links.size(); ++i) {
    if (links[i] == 0) continue;
    const size_t from = i / ends, to = i % ends;
    const int64_t bytes = links[i] / count;
    round.links.push_back({name(cluster, from), name(cluster, to), bytes});
    round.wire_bytes += links[i];
    if (from < round.nodes.size()) round.nodes[from].sent_bytes += bytes;
    if (to < round.nodes.size()) round.nodes[to].received_bytes += bytes;
  }
  round.wire_bytes /= count;
}

// Bytes that a node exchanges between canvases. Crops and results are excluded: they are sent when
// little else is in memory.
int64_t exchanged(const Dataflow& plan, size_t node) {
  int64_t bytes = 0;
  for (const Dataflow::StripTask& strip : plan.strips) {
    if (strip.source_canvas < 0 || strip.target_canvas < 0 || strip.from == strip.to) continue;
    if (strip.from == node || strip.to == node) bytes += strip.bytes;
  }
  return bytes;
}

// Memory that the process always needs. For the owner of several open frames, this includes their
// results, which may exist at the same time as any maps.
int64_t other_bytes(const Cluster& cluster, const Dataflow& plan, size_t node,
                    int32_t open_frames) {
  if (!cluster.footprint) return 0;
  const Footprint& each = *cluster.footprint;
  const size_t members = cluster.nodes.size() + (plan.owner < cluster.nodes.size() ? 0 : 1);
  const int64_t bytes =
      program_bytes(each, members, node == plan.owner) +
      static_cast<int64_t>(each.queued * static_cast<double>(exchanged(plan, node)));
  if (node != plan.owner || open_frames == 1) return bytes;
  return bytes + open_frames * result_bytes(cluster, plan);
}

// Adds what a node computes in a round, averaged over its frames, and what it holds for all of
// them.
void add_work(const Cluster& cluster, const std::vector<const Dataflow*>& turns,
              const std::vector<NodeProfile>& profiles, int32_t open_frames,
              std::vector<NodeLoad>& loads) {
  const auto count = static_cast<int64_t>(turns.size());
  for (const Dataflow* plan : turns) {
    for (const Dataflow::TileTask& tile : plan->tiles) loads[tile.node].busy += tile.compute_time;
    for (size_t i = 0; i < loads.size(); ++i) {
      NodeLoad& load = loads[i];
      const PassBuffers& buffers = plan->buffers[i];
      const int64_t pass_bytes = buffers.maps_bytes + buffers.scratch_bytes;
      load.macs += plan->macs[i];
      load.weight_bytes = std::max(load.weight_bytes, plan->weight_bytes[i]);
      load.buffer_bytes = std::max(load.buffer_bytes, std::max(1, profiles[i].slots) * pass_bytes);
      load.other_bytes = std::max(load.other_bytes, other_bytes(cluster, *plan, i, open_frames));
    }
  }
  for (NodeLoad& load : loads) {
    load.busy = (load.busy + Duration(count / 2)) / count;
    load.macs = (load.macs + count / 2) / count;
  }
}

Duration busiest(const std::vector<const Dataflow*>& turns,
                 const std::vector<NodeProfile>& profiles) {
  std::vector<Duration> busy(profiles.size(), Duration::zero());
  for (const Dataflow* plan : turns)
    for (const Dataflow::TileTask& tile : plan->tiles) busy[tile.node] += tile.compute_time;
  for (size_t i = 0; i < profiles.size(); ++i) busy[i] /= std::max(1, profiles[i].slots);
  return *std::max_element(busy.begin(), busy.end()) / static_cast<int64_t>(turns.size());
}

}  // namespace

int64_t result_bytes(const Cluster& cluster, const Dataflow& plan) {
  if (!cluster.footprint) return 0;
  return static_cast<int64_t>(cluster.footprint->results_at_owner *
                              static_cast<double>(plan.outcome_bytes));
}

RoundLoad round_load(const Cluster& cluster, const std::vector<const Dataflow*>& turns,
                     const std::vector<NodeProfile>& profiles, int32_t open_frames) {
  assert(!turns.empty());
  RoundLoad round;
  for (const ClusterNode& node : cluster.nodes) {
    round.nodes.emplace_back();
    round.nodes.back().node = node.id;
  }
  add_work(cluster, turns, profiles, open_frames, round.nodes);
  add_traffic(cluster, turns, round);
  round.busiest = busiest(turns, profiles);
  return round;
}

}  // namespace shingle
