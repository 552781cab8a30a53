#include "sim/experiment/machines.hpp"

#include <algorithm>
#include <cmath>

#include "devices/files/cluster_points.hpp"

namespace shingle::sim {

namespace {

// As the programs set them (apps/client/patience.hpp).
constexpr Duration least_silence = std::chrono::milliseconds(400);
constexpr Duration most_silence = std::chrono::milliseconds(1500);

int64_t bytes_per_second(double mbps) {
  return std::max<int64_t>(1, static_cast<int64_t>(mbps * 125'000.0));
}

// Of all sources of the node.
struct OwnerSide {
  uint32_t open_frames = 0;
  bool computes = true;
};

OwnerSide owner_side(const ExperimentFile& file, NodeId node) {
  OwnerSide side;
  for (const ExperimentSource& source : file.sources) {
    if (source.owner != node) continue;
    side.open_frames += source.open_frames;
    side.computes = side.computes && source.computes;
  }
  return side;
}

bool is_at_cell(const ClusterFile& cluster, const ClusterFileNode& node) {
  return std::ranges::any_of(cluster.points, [&](const NetworkPoint& point) {
    return point.name == node.at && point.kind != NetworkPoint::Kind::plain_switch;
  });
}

NodeLimits limits_of(const ExperimentFile& file, const ClusterFileNode& node, int32_t slots) {
  const OwnerSide side = owner_side(file, node.id);
  NodeLimits limits;
  limits.compute_slots = side.computes ? static_cast<uint32_t>(std::max(1, slots)) : 0;
  if (side.open_frames > 0) limits.open_frames = limits.waiting_frames = side.open_frames;
  limits.drop = DropPolicy::refuse_newest;
  limits.silence_allowed = least_silence;
  limits.most_silence_allowed = most_silence;
  limits.steals = file.policy.steals;
  limits.audit_share = file.policy.audit_share;
  const bool shared = file.cluster.network.kind == NetworkKind::shared;
  const NetworkPoint* cell = only_cell(file.cluster);
  if (!shared && cell == nullptr) {
    limits.link_bytes_per_second = bytes_per_second(std::min(up_mbps_of(node), down_mbps_of(node)));
    return limits;
  }
  limits.link_bytes_per_second =
      bytes_per_second(shared ? file.cluster.network.mbps : air_mbps(*cell));
  limits.steals = false;
  limits.beat_every = beat_on_medium;
  limits.silence_allowed = std::max(limits.silence_allowed, 3 * beat_on_medium);
  return limits;
}

// A paced node takes what its MACs take, however many layers they are of: it really computes them,
// which is faster, and waits for the rest (devices/measure/pace.hpp).
NodeProfile times_of(const ClusterFileNode& node) {
  NodeProfile profile = costs_of(node);
  if (node.pace)
    for (WorkCost& cost : profile.costs) cost.ns_per_call = 0.0;
  return profile;
}

Duration delay_of(const ClusterNetwork& network) {
  return Duration(std::llround(network.delay_ms * 1e6));
}

// A relay's delay is none of the wires'.
NetworkTopology topology_of(const Experiment& experiment) {
  const Surroundings& around = experiment.surroundings;
  ExperimentFile file = experiment.file;
  if (around.relayed) file.cluster.network.delay_ms = 0.0;
  return network_of(file, experiment_start, around.message_latency).topology;
}

}  // namespace

int64_t weight_bytes_of(const Experiment& experiment, NodeId id) {
  int64_t bytes = 0;
  for (const PlannedSource& source : experiment.sources)
    for (const NodeLoad& load : source.loads)
      if (load.node == id) bytes += load.weight_bytes;
  return bytes;
}

// From more nodes on, the beats of a node's tick are one event: they would be nearly all events.
constexpr size_t most_single_beats = 64;

ClusterOptions machines_of(const Experiment& experiment, uint64_t seed) {
  ClusterOptions options;
  options.contents = Contents::shape;
  options.ticks_are_events = experiment.file.cluster.nodes.size() > most_single_beats;
  options.seed = seed;
  options.topology = topology_of(experiment);
  if (experiment.surroundings.relayed)
    options.relay_delay = delay_of(experiment.file.cluster.network);
  for (const ClusterFileNode& node : experiment.file.cluster.nodes) {
    Machine machine;
    machine.node.id = node.id;
    machine.node.name = node.name;
    machine.node.arithmetic_class = "simulated";
    machine.node.seed = node.id.value;
    machine.profile = times_of(node);
    machine.node.limits = limits_of(experiment.file, node, machine.profile->slots);
    machine.board = node.spec;
    machine.fan = node.fan;
    machine.radio = is_at_cell(experiment.file.cluster, node);
    machine.cores = node.cores;
    machine.handover = experiment.surroundings.handover;
    machine.resident_bytes = weight_bytes_of(experiment, node.id);
    options.machines.push_back(std::move(machine));
  }
  return options;
}

AloneTimes::AloneTimes(const Experiment& experiment) {
  const ExperimentFile& file = experiment.file;
  const NetworkTopology network =
      network_of(file, experiment_start, experiment.surroundings.message_latency).topology;
  const TrunkPaths paths(network);
  const std::vector<ClusterFileNode>& nodes = file.cluster.nodes;
  for (uint32_t from = 0; from < nodes.size(); ++from)
    for (uint32_t to = 0; to < nodes.size(); ++to) {
      if (from == to) continue;
      const NetworkRoute way = route(network, paths, from, to);
      Route& known = routes_[{nodes[from].id, nodes[to].id}];
      known.latency = way.latency;
      for (const ResourceUse& use : way.uses) {
        const NetworkResource& resource = network.resources[use.resource];
        const AirRate air = resource.air.empty() ? AirRate{} : air_rate(resource.air, 1);
        const double rate = resource.air.empty() ? resource.bytes_per_second : air.bytes_per_second;
        known.ns_per_byte = std::max(known.ns_per_byte, use.weight / rate * 1e9);
      }
    }
}

Duration AloneTimes::operator()(NodeId from, NodeId to, int64_t bytes) const {
  const Route& way = routes_.at({from, to});
  return way.latency + Duration(static_cast<int64_t>(static_cast<double>(bytes) * way.ns_per_byte));
}

}  // namespace shingle::sim
