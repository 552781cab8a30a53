#include "sim/experiment/experiment_network.hpp"

#include <algorithm>

#include "devices/files/cluster_points.hpp"

namespace shingle::sim {

namespace {

double goodput(double mbps) { return mbps * goodput_share * 125'000.0; }

Duration milliseconds_of(double count) { return Duration(static_cast<int64_t>(count * 1e6)); }

HostLink link_of(const ClusterFileNode& node, Duration latency) {
  return {.up_bytes_per_second = goodput(up_mbps_of(node)),
          .down_bytes_per_second = goodput(down_mbps_of(node)),
          .latency = latency,
          .loss = node.loss};
}

std::string node_name(const ClusterFileNode& node) {
  return "node " + std::to_string(node.id.value);
}

// Builds a topology and names its resources as they are added.
class Builder {
 public:
  Builder(const ClusterFile& cluster, Time start, Duration message_latency)
      : cluster_(cluster),
        start_(start),
        latency_(message_latency + milliseconds_of(cluster.network.delay_ms)) {}

  ExperimentNetwork build() {
    if (cluster_.network.kind == NetworkKind::shared)
      build_medium();
    else if (cluster_.points.empty())
      build_star();
    else
      build_points();
    return std::move(out_);
  }

 private:
  std::vector<HostLink> links() const {
    std::vector<HostLink> links;
    for (const ClusterFileNode& node : cluster_.nodes) links.push_back(link_of(node, latency_));
    return links;
  }

  void build_medium() {
    const double rate = cluster_.network.mbps * medium_goodput_share * 125'000.0;
    out_.topology = one_medium(rate, links());
    out_.names = {"the medium"};
  }

  void build_star() {
    out_.topology = star(links());
    for (size_t i = 0; i < cluster_.nodes.size(); ++i) finish_port(i);
  }

  // Of the node in that place: names its two resources, which were just added, and sets its rates.
  void finish_port(size_t place) {
    const ClusterFileNode& node = cluster_.nodes[place];
    const NetworkPort& port = out_.topology.hosts[place];
    for (const LinkRate& rate : node.rates)
      for (const uint32_t resource : {port.up.resource, port.down.resource})
        out_.topology.resources[resource].steps.push_back({start_ + rate.at, goodput(rate.mbps)});
    out_.names.push_back(node_name(node) + " sends");
    out_.names.push_back(node_name(node) + " receives");
  }

  void build_points() {
    NetworkTopology& network = out_.topology;
    std::vector<uint32_t> airs(cluster_.points.size(), no_resource);
    for (size_t i = 0; i < cluster_.points.size(); ++i) {
      if (i > 0) add_point(network);  // there is one from the start
      const NetworkPoint& point = cluster_.points[i];
      if (point.kind == NetworkPoint::Kind::plain_switch) continue;
      airs[i] = add_air(network, air_of(point), radio_of(point));
      out_.names.push_back("air of " + point.name);
    }
    for (const NetworkTrunk& trunk : cluster_.trunks) {
      const double rate = goodput(trunk.mbps);
      add_trunk(network, place_of(trunk.from), place_of(trunk.to),
                {rate, rate, milliseconds_of(trunk.delay_ms), 0.0});
      out_.names.push_back(trunk.from + " to " + trunk.to);
      out_.names.push_back(trunk.to + " to " + trunk.from);
    }
    for (size_t i = 0; i < cluster_.nodes.size(); ++i) {
      const ClusterFileNode& node = cluster_.nodes[i];
      const uint32_t point = place_of(node.at);
      if (cluster_.points[point].kind == NetworkPoint::Kind::ad_hoc) {
        // Directly from station to station: the air is crossed once.
        network.hosts.push_back(
            {.point = point, .up = {.resource = airs[point], .latency = latency_}});
      } else if (airs[point] != no_resource) {
        add_station(network, point, airs[point], latency_);
      } else {
        add_host(network, point, link_of(node, latency_));
        finish_port(i);
      }
    }
  }

  uint32_t place_of(const std::string& name) const {
    const auto point = std::ranges::find(cluster_.points, name, &NetworkPoint::name);
    return static_cast<uint32_t>(point - cluster_.points.begin());
  }

  const ClusterFile& cluster_;
  const Time start_;
  const Duration latency_;
  ExperimentNetwork out_;
};

}  // namespace

ExperimentNetwork network_of(const ExperimentFile& file, Time start, Duration message_latency) {
  ExperimentNetwork network = Builder(file.cluster, start, message_latency).build();
  const auto port_of = [&](NodeId id) {
    const auto node = std::ranges::find(file.cluster.nodes, id, &ClusterFileNode::id);
    return network.topology.hosts[static_cast<size_t>(node - file.cluster.nodes.begin())];
  };
  for (const ExperimentFlow& flow : file.flows)
    for (const NodeId end : {flow.from, flow.to}) network.topology.hosts.push_back(port_of(end));
  return network;
}

}  // namespace shingle::sim
