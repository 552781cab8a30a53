#include "sim/pipe/network_description.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace shingle::sim {
namespace {

constexpr int64_t unlimited_bits_per_second = 100'000'000'000;

class Description {
 public:
  Description(const NetworkTopology& network, const std::vector<RadioMode>& radios)
      : network_(network), radios_(radios) {}

  Result<PipedTopology> of(uint64_t seed) {
    const auto hosts = static_cast<uint32_t>(network_.hosts.size());
    topology_ = {.seed = seed, .connections = all_pairs(hosts)};
    for (uint32_t host = 0; host < hosts; ++host) topology_.hosts.push_back(host);
    for (uint32_t host = 0; host < hosts; ++host)
      if (Status added = add_host(host); !added) return added.failure();
    for (const Trunk& trunk : network_.trunks)
      if (Status added = add_wire(point(trunk.from), point(trunk.to), trunk.forward, trunk.back);
          !added)
        return added.failure();
    add_points();
    add_steps();
    return topology_;
  }

 private:
  uint32_t point(uint32_t index) const {
    return static_cast<uint32_t>(network_.hosts.size()) + index;
  }

  const NetworkResource* resource(const Way& way) const {
    return way.resource == no_resource ? nullptr : &network_.resources[way.resource];
  }

  Status add_host(uint32_t host) {
    const NetworkPort& port = network_.hosts[host];
    const NetworkResource* up = resource(port.up);
    if (up == nullptr || up->air.empty()) return add_port(host);
    const auto radio = std::find_if(radios_.begin(), radios_.end(), [&](const RadioMode& each) {
      return each.air == port.up.resource;
    });
    if (radio == radios_.end())
      return Error{"the air of host " + std::to_string(host) +
                   " has no radio mode, without which packets cannot be simulated"};
    auto [cell, is_new] = cells_.try_emplace(port.up.resource, topology_.cells.size());
    if (is_new)
      topology_.cells.push_back(
          {.id = radio->kind == AirKind::access_point ? point(port.point)
                                                      : point(network_.points + port.up.resource),
           .kind = radio->kind == AirKind::access_point ? PipedCellKind::infrastructure
                                                        : PipedCellKind::ad_hoc,
           .mode = radio->mode,
           .stations = {}});
    topology_.cells[cell->second].stations.push_back(host);
    return success();
  }

  // The first of several hosts adds their switch, and the wire behind it.
  Status add_port(uint32_t host) {
    const NetworkPort& port = network_.hosts[host];
    const uint32_t up = port.up.resource;
    const auto sharing = std::count_if(
        network_.hosts.begin(), network_.hosts.end(),
        [&](const NetworkPort& each) { return up != no_resource && each.up.resource == up; });
    if (sharing <= 1) return add_wire(host, point(port.point), port.up, port.down);
    auto [shared, is_new] = shared_ports_.try_emplace(up, 0);
    if (is_new) {
      shared->second = point(network_.points + static_cast<uint32_t>(network_.resources.size()) +
                             static_cast<uint32_t>(shared_ports_.size()));
      topology_.switches.push_back(shared->second);
      if (Status added = add_wire(shared->second, point(port.point), port.up, port.down); !added)
        return added;
    }
    return add_wire(host, shared->second, {}, {});
  }

  Status add_wire(uint32_t from, uint32_t to, const Way& forward, const Way& back) {
    for (const Way& way : {forward, back})
      if (resource(way) != nullptr && resource(way)->half_duplex)
        return Error{"a medium that several wires share cannot be described to a simulator"};
    topology_.links.push_back({.from = from,
                               .to = to,
                               .forward_bits_per_second = bits(forward),
                               .back_bits_per_second = bits(back),
                               .delay = (forward.latency + back.latency) / 2,
                               .forward_lost_per_million = lost(forward),
                               .back_lost_per_million = lost(back)});
    ways_.push_back({forward, back});
    return success();
  }

  int64_t bits(const Way& way) const {
    const NetworkResource* found = resource(way);
    return found == nullptr ? unlimited_bits_per_second
                            : packet_bits_per_second(found->bytes_per_second);
  }

  static int64_t lost(const Way& way) { return std::llround(way.loss * 1e6); }

  // Those that are no access point and that a wire ends at.
  void add_points() {
    for (uint32_t index = 0; index < network_.points; ++index) {
      const uint32_t id = point(index);
      const bool is_cell = std::any_of(topology_.cells.begin(), topology_.cells.end(),
                                       [&](const PipedCell& cell) { return cell.id == id; });
      const bool has_wire =
          std::any_of(topology_.links.begin(), topology_.links.end(),
                      [&](const PipedLink& link) { return link.from == id || link.to == id; });
      if (has_wire && !is_cell) topology_.switches.push_back(id);
    }
  }

  void add_steps() {
    for (size_t i = 0; i < ways_.size(); ++i)
      for (const bool forward : {true, false}) {
        const NetworkResource* changing = resource(forward ? ways_[i].first : ways_[i].second);
        if (changing == nullptr) continue;
        for (const RateStep& step : changing->steps)
          topology_.steps.push_back(
              {.at = step.at,
               .link = i,
               .forward = forward,
               .bits_per_second = packet_bits_per_second(step.bytes_per_second)});
      }
    std::stable_sort(topology_.steps.begin(), topology_.steps.end(),
                     [](const PipedRateStep& a, const PipedRateStep& b) { return a.at < b.at; });
  }

  const NetworkTopology& network_;
  const std::vector<RadioMode>& radios_;
  PipedTopology topology_;
  std::map<uint32_t, size_t> cells_;           // by air
  std::map<uint32_t, uint32_t> shared_ports_;  // by their resource: the switch
  std::vector<std::pair<Way, Way>> ways_;      // of each link
};

}  // namespace

Result<PipedTopology> describe(const NetworkTopology& network, const std::vector<RadioMode>& radios,
                               uint64_t seed) {
  return Description(network, radios).of(seed);
}

}  // namespace shingle::sim
