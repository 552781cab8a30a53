#include "partition/network/topology.hpp"

#include <deque>

namespace shingle {
namespace {

constexpr uint32_t no_trunk = UINT32_MAX;

Way add_way(NetworkTopology& network, double bytes_per_second, const HostLink& link) {
  network.resources.push_back({.bytes_per_second = bytes_per_second});
  return {static_cast<uint32_t>(network.resources.size() - 1), link.latency, link.loss};
}

void cross(NetworkRoute& route, const Way& way) {
  route.latency += way.latency;
  route.loss = 1.0 - (1.0 - route.loss) * (1.0 - way.loss);
  if (way.resource == no_resource) return;
  for (ResourceUse& use : route.uses) {
    if (use.resource == way.resource) return void(use.weight += 1.0);
  }
  route.uses.push_back({way.resource, 1.0});
}

}  // namespace

NetworkTopology star(const std::vector<HostLink>& hosts) {
  NetworkTopology network;
  network.resources.reserve(2 * hosts.size());
  network.hosts.reserve(hosts.size());
  for (const HostLink& link : hosts) add_host(network, 0, link);
  return network;
}

NetworkTopology one_medium(double bytes_per_second, const std::vector<HostLink>& hosts) {
  NetworkTopology network;
  network.resources.push_back({.bytes_per_second = bytes_per_second, .half_duplex = true});
  for (const HostLink& link : hosts) {
    network.hosts.push_back(
        {.point = 0, .up = {.resource = 0, .latency = link.latency, .loss = link.loss}});
  }
  return network;
}

uint32_t add_point(NetworkTopology& network) { return network.points++; }

uint32_t add_host(NetworkTopology& network, uint32_t point, const HostLink& link) {
  assert(point < network.points);
  NetworkPort port{.point = point, .up = add_way(network, link.up_bytes_per_second, link)};
  port.down = add_way(network, link.down_bytes_per_second, {});
  network.hosts.push_back(port);
  return static_cast<uint32_t>(network.hosts.size() - 1);
}

uint32_t add_trunk(NetworkTopology& network, uint32_t from, uint32_t to, const HostLink& link) {
  assert(from < network.points && to < network.points && from != to);
  Trunk trunk{.from = from, .to = to, .forward = add_way(network, link.up_bytes_per_second, link)};
  trunk.back = add_way(network, link.down_bytes_per_second, link);
  network.trunks.push_back(trunk);
  return static_cast<uint32_t>(network.trunks.size() - 1);
}

uint32_t add_air(NetworkTopology& network, AirTable table, std::optional<RadioTiming> radio) {
  assert(!table.empty());
  network.resources.push_back({.air = std::move(table), .radio = radio, .half_duplex = true});
  return static_cast<uint32_t>(network.resources.size() - 1);
}

uint32_t add_station(NetworkTopology& network, uint32_t point, uint32_t air, Duration latency) {
  assert(point < network.points && air < network.resources.size());
  network.hosts.push_back(
      {.point = point, .up = {.resource = air, .latency = latency}, .down = {.resource = air}});
  return static_cast<uint32_t>(network.hosts.size() - 1);
}

// A breadth-first search from each target, against the direction of travel.
TrunkPaths::TrunkPaths(const NetworkTopology& network) : points_(network.points) {
  if (points_ == 1) return;
  next_.assign(size_t{points_} * points_, no_trunk);
  for (uint32_t target = 0; target < points_; ++target) {
    std::deque<uint32_t> open{target};
    while (!open.empty()) {
      const uint32_t at = open.front();
      open.pop_front();
      for (uint32_t i = 0; i < network.trunks.size(); ++i) {
        const Trunk& trunk = network.trunks[i];
        if (trunk.from != at && trunk.to != at) continue;
        const uint32_t other = trunk.from == at ? trunk.to : trunk.from;
        uint32_t& next = next_[size_t{other} * points_ + target];
        if (other == target || next != no_trunk) continue;
        next = i;
        open.push_back(other);
      }
    }
  }
}

std::optional<uint32_t> TrunkPaths::next(uint32_t from, uint32_t to) const {
  assert(from != to && from < points_ && to < points_);
  const uint32_t trunk = next_[size_t{from} * points_ + to];
  return trunk == no_trunk ? std::nullopt : std::optional(trunk);
}

NetworkRoute route(const NetworkTopology& network, const TrunkPaths& paths, uint32_t from,
                   uint32_t to) {
  NetworkRoute result;
  result.uses.reserve(2);
  each_way(network, paths, from, to, [&](const Way& way) { cross(result, way); });
  return result;
}

std::vector<std::string> defects(const NetworkTopology& network) {
  std::vector<std::string> found;
  for (size_t i = 0; i < network.resources.size(); ++i) {
    const NetworkResource& resource = network.resources[i];
    const std::string name = "Resource " + std::to_string(i);
    if (resource.air.empty() && !(resource.bytes_per_second > 0.0))
      found.push_back(name + " has no rate.");
    for (const AirRate& entry : resource.air)
      if (!(entry.bytes_per_second > 0.0)) found.push_back(name + " is air without a rate.");
    for (size_t step = 0; step < resource.steps.size(); ++step) {
      if (!(resource.steps[step].bytes_per_second > 0.0))
        found.push_back(name + " has a step without a rate.");
      if (step > 0 && resource.steps[step].at <= resource.steps[step - 1].at)
        found.push_back(name + " has steps out of order.");
    }
  }
  const TrunkPaths paths(network);
  for (uint32_t to = 1; to < network.hosts.size(); ++to) {
    const uint32_t first = network.hosts[0].point, other = network.hosts[to].point;
    if (first != other && !paths.next(first, other))
      found.push_back("No path joins hosts 0 and " + std::to_string(to) + ".");
  }
  return found;
}

}  // namespace shingle
