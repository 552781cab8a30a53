// A network as plain values: hosts, the resources that their traffic shares, and the routes between
// hosts.
//
//   host --up--> point --trunk--> point --down--> host
//
// A point is a switch, a hub or an access point. A resource is what has a limited rate: one
// direction of a port or of a trunk, a shared medium, the air of a Wi-Fi cell. Each direction of a
// connection between two things names the resource that it takes, if any. A route takes each
// resource as often as it crosses it, so traffic between two stations takes the air of their cell
// twice.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partition/base/time.hpp"
#include "partition/network/radio.hpp"

namespace shingle {

inline constexpr uint32_t no_resource = UINT32_MAX;

struct RateStep {
  Time at{};
  double bytes_per_second = 0.0;
};

struct NetworkResource {
  double bytes_per_second = 0.0;  // of TCP payload; not used for air
  std::vector<RateStep> steps{};  // later rates, ascending times
  AirTable air{};                 // empty: no air
  // Of air. If all hosts are stations of this air, a FluidNetwork simulates it turn by turn
  // (radio_cell.hpp), and its table is not used.
  std::optional<RadioTiming> radio{};
  // On a shared medium acknowledgements are part of the measured rate. Elsewhere they take the
  // other direction.
  bool half_duplex = false;
};

struct Way {  // one direction
  uint32_t resource = no_resource;
  Duration latency{};
  double loss = 0.0;  // of a segment
};

struct NetworkPort {  // of a host
  uint32_t point = 0;
  Way up{}, down{};
};

struct Trunk {
  uint32_t from = 0, to = 0;  // points
  Way forward{}, back{};
};

struct NetworkTopology {
  std::vector<NetworkResource> resources;
  std::vector<NetworkPort> hosts;
  std::vector<Trunk> trunks;
  uint32_t points = 1;
};

// --- builders ---

struct HostLink {
  double up_bytes_per_second = 0.0, down_bytes_per_second = 0.0;
  Duration latency{};  // of what the host sends
  double loss = 0.0;   // likewise
};

// A switch that connects hosts, each with a port of its own: host i has resources 2i (up) and
// 2i + 1 (down).
NetworkTopology star(const std::vector<HostLink>& hosts);
// One medium for all hosts, resource 0. Each message crosses it once. The hosts' rates are not
// used.
NetworkTopology one_medium(double bytes_per_second, const std::vector<HostLink>& hosts);

// Builders for anything else. All return an index: of the point, the host, the trunk.
uint32_t add_point(NetworkTopology& network);
uint32_t add_host(NetworkTopology& network, uint32_t point, const HostLink& link);
uint32_t add_trunk(NetworkTopology& network, uint32_t from, uint32_t to, const HostLink& link);
// A cell of stations around the access point `point`; returns its air's resource.
uint32_t add_air(NetworkTopology& network, AirTable table, std::optional<RadioTiming> radio = {});
uint32_t add_station(NetworkTopology& network, uint32_t point, uint32_t air, Duration latency);

// --- routes ---

struct ResourceUse {
  uint32_t resource = 0;
  double weight = 1.0;  // bytes of the resource that a byte takes
  friend bool operator==(const ResourceUse&, const ResourceUse&) = default;
};

struct NetworkRoute {
  std::vector<ResourceUse> uses;  // in the order of the crossing; each resource once
  Duration latency{};
  double loss = 0.0;  // of a segment, anywhere on the route
};

// For each pair of points the first trunk of a shortest path. Of equal paths the one whose trunk
// was added first is taken.
class TrunkPaths {
 public:
  explicit TrunkPaths(const NetworkTopology& network);
  // No value: no path. REQUIRES: from != to.
  std::optional<uint32_t> next(uint32_t from, uint32_t to) const;

 private:
  uint32_t points_ = 1;
  std::vector<uint32_t> next_;  // by pair of points; empty if there is one point
};

// Visits the ways from one host to another one, in order. REQUIRES: two different hosts with a path
// between them.
template <class Visit>
void each_way(const NetworkTopology& network, const TrunkPaths& paths, uint32_t from, uint32_t to,
              Visit visit) {
  assert(from != to && from < network.hosts.size() && to < network.hosts.size());
  visit(network.hosts[from].up);
  const uint32_t target = network.hosts[to].point;
  for (uint32_t at = network.hosts[from].point; at != target;) {
    const std::optional<uint32_t> next = paths.next(at, target);
    assert(next.has_value());
    const Trunk& trunk = network.trunks[*next];
    visit(trunk.from == at ? trunk.forward : trunk.back);
    at = trunk.from == at ? trunk.to : trunk.from;
  }
  visit(network.hosts[to].down);
}

// REQUIRES: as each_way().
NetworkRoute route(const NetworkTopology& network, const TrunkPaths& paths, uint32_t from,
                   uint32_t to);

// What is wrong with it, one sentence each: rates that are not positive, steps out of order, hosts
// without a path between them. Empty: it is sound.
std::vector<std::string> defects(const NetworkTopology& network);

}  // namespace shingle
