#include "sim/rehearsal.hpp"

#include <algorithm>

#include "partition/simulation/cluster_network.hpp"
#include "runtime/protocol/load_plan.hpp"

namespace shingle::sim {
namespace {

// Programs allow nodes at most this silence (apps/client/patience.hpp).
constexpr Duration programs_patience = std::chrono::milliseconds(1500);
constexpr uint32_t most_waiting = 1000;  // frames; all are captured at once

Machine machine_of(const ClusterNode& node, int32_t open_frames) {
  Machine machine;
  machine.node.id = node.id;
  machine.node.arithmetic_class = "virtual";
  machine.profile = profile_of(node);
  machine.node.limits.compute_slots = static_cast<uint32_t>(std::max(1, machine.profile->slots));
  machine.node.limits.open_frames = static_cast<uint32_t>(open_frames);
  machine.node.limits.waiting_frames = most_waiting;
  machine.node.limits.steals = false;
  machine.node.limits.link_bytes_per_second =
      static_cast<int64_t>(bytes_per_second(node.link_mbps));
  return machine;
}

}  // namespace

ClusterOptions cluster_options(const Cluster& cluster, int32_t open_frames) {
  ClusterOptions options;
  options.contents = Contents::shape;
  options.topology = network_of(cluster);
  for (const ClusterNode& node : cluster.nodes) {
    options.machines.push_back(machine_of(node, open_frames));
    options.machines.back().node.limits.silence_allowed = programs_patience;
    if (!cluster.medium_mbps) continue;
    options.machines.back().node.limits.beat_every = beat_on_medium;
    options.machines.back().node.limits.link_bytes_per_second =
        static_cast<int64_t>(bytes_per_second(*cluster.medium_mbps));
  }
  return options;
}

namespace {

// `ends`: when each frame was delivered, from the capture of all. A frame is opened when the frame
// that is `open_frames` places before it is delivered.
Rehearsed measured(const std::vector<Duration>& ends, StreamOfFrames stream, size_t round) {
  Rehearsed result;
  result.latency = result.period = ends.front();
  const auto open = static_cast<size_t>(stream.open_frames);
  const size_t step = round == 1 ? open : round;
  if (ends.size() >= 2 * open + step) {
    const size_t between = (ends.size() - 2 * open) / step * step;
    result.period = (ends[open - 1 + between] - ends[open - 1]) / static_cast<int64_t>(between);
  }
  std::vector<Duration> each;
  for (size_t i = 0; i < ends.size(); ++i)
    each.push_back(i < open ? ends[i] : ends[i] - ends[i - open]);
  if (open == 1) result.latency = *std::max_element(each.begin(), each.end());
  std::sort(each.begin(), each.end());
  result.typical_latency = each[each.size() / 2];
  return result;
}

}  // namespace

Result<Rehearsed> rehearse(const Model& model, const Cluster& cluster, const Rotation& rotation,
                           NodeId owner, StreamOfFrames stream) {
  ClusterOptions options = cluster_options(cluster, stream.open_frames);
  options.keep_trace = true;
  VirtualCluster nodes(std::move(options), model);
  const Time ready = Time{} + std::chrono::minutes(1);
  for (const Turn& turn : rotation) nodes.propose(Time{}, owner, turn.plan);
  const std::vector<size_t> round = round_of(rotation);
  for (size_t i = 0; i < static_cast<size_t>(stream.frames); ++i)
    nodes.capture(ready, owner, hash_of(rotation[round[i % round.size()]].plan),
                  std::chrono::hours(1));
  if (!nodes.run(ready + std::chrono::hours(2))) return Error{"the nodes came to no end"};
  if (!nodes.breaches().empty()) return Error{nodes.breaches().front()};
  std::vector<Duration> ends;
  int64_t payload_bytes = 0;
  for (const TraceEvent& event : nodes.trace()) {
    const Duration at = event.at - ready;
    if (event.kind == TraceEvent::Kind::delivered) ends.push_back(at);
    if (event.kind == TraceEvent::Kind::sent) payload_bytes += event.bytes;
  }
  if (ends.size() != static_cast<size_t>(stream.frames))
    return Error{"only " + std::to_string(ends.size()) + " of " + std::to_string(stream.frames) +
                 " frames were delivered"};
  Rehearsed result = measured(ends, stream, round.size());
  result.payload_bytes = payload_bytes / stream.frames;
  for (const ClusterNode& node : cluster.nodes)
    result.canvas_bytes.push_back(nodes.most_canvas_bytes(node.id));
  return result;
}

}  // namespace shingle::sim
