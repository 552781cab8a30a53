#include "sim/experiment/packets.hpp"

#include <algorithm>

#include "sim/pipe/network_description.hpp"

namespace shingle::sim {

namespace {

constexpr uint64_t seeds = 1'000'000'000;  // of shingle-ns3
constexpr int64_t largest_flow = int64_t{1} << 30;

const NetworkPoint* cell_of(const ClusterFile& cluster, const ClusterFileNode& node) {
  const auto point = std::ranges::find(cluster.points, node.at, &NetworkPoint::name);
  const bool is_cell =
      point != cluster.points.end() && point->kind != NetworkPoint::Kind::plain_switch;
  return is_cell ? &*point : nullptr;
}

std::vector<RadioMode> radio_modes(const ClusterFile& cluster, const NetworkTopology& topology) {
  std::vector<RadioMode> modes;
  for (size_t i = 0; i < cluster.nodes.size(); ++i) {
    const NetworkPoint* cell = cell_of(cluster, cluster.nodes[i]);
    if (cell == nullptr) continue;
    const bool ad_hoc = cell->kind == NetworkPoint::Kind::ad_hoc;
    modes.push_back({.air = topology.hosts[i].up.resource,
                     .kind = ad_hoc ? AirKind::ad_hoc : AirKind::access_point,
                     .mode = cell->mode.empty() ? std::string(usual_radio_mode) : cell->mode});
  }
  return modes;
}

// Nodes talk with each other; a flow has a connection of its own.
std::vector<PipedConnection> connections_of(const ExperimentFile& file) {
  std::vector<PipedConnection> pairs;
  if (!file.sources.empty()) pairs = all_pairs(static_cast<uint32_t>(file.cluster.nodes.size()));
  for (size_t i = 0; i < file.flows.size(); ++i)
    pairs.push_back(
        {ExperimentNetwork::flow_source(file, i), ExperimentNetwork::flow_target(file, i)});
  return pairs;
}

Status can_be_told(const ExperimentFile& file) {
  for (const ExperimentFlow& flow : file.flows)
    if (flow.bytes > largest_flow)
      return Error{"a flow of more than 1 GiB cannot be told to a network simulator"};
  if (file.cluster.network.kind == NetworkKind::shared)
    return Error{
        "packets on one shared medium cannot be simulated; describe Wi-Fi as a [[cell]], or "
        "leave out the network simulator"};
  return success();
}

}  // namespace

Result<PipedNetwork> open_packets(const Experiment& experiment, const ExperimentNetwork& network,
                                  const StartSimulator& start, uint64_t seed) {
  const ExperimentFile& file = experiment.file;
  if (const Status possible = can_be_told(file); !possible) return bad_input(possible.error());
  auto topology =
      describe(network.topology, radio_modes(file.cluster, network.topology), seed % seeds);
  if (!topology) return bad_input(topology.error());
  topology->connections = connections_of(file);
  auto exchange = start();
  if (!exchange) return exchange.failure();
  return PipedNetwork::open(std::move(*exchange), *topology);
}

}  // namespace shingle::sim
