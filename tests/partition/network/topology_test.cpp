// Topologies, routes and the air: what follows by hand.
#include "partition/network/topology.hpp"

#include <doctest/doctest.h>

using namespace shingle;
using namespace std::chrono_literals;

namespace {

const HostLink fast{.up_bytes_per_second = 100.0, .down_bytes_per_second = 50.0, .latency = 1ms};

NetworkRoute route_in(const NetworkTopology& network, uint32_t from, uint32_t to) {
  return route(network, TrunkPaths(network), from, to);
}

}  // namespace

TEST_CASE("in a star a route takes the sender's port up and the receiver's port down") {
  const NetworkTopology network = star({fast, fast, fast});
  CHECK(defects(network).empty());
  const NetworkRoute there = route_in(network, 0, 2);
  CHECK(there.uses == std::vector<ResourceUse>{{0, 1.0}, {5, 1.0}});
  CHECK(there.latency == 1ms);
  CHECK(network.resources[0].bytes_per_second == 100.0);
  CHECK(network.resources[5].bytes_per_second == 50.0);
}

TEST_CASE("one medium is crossed once by whoever sends") {
  const NetworkTopology network = one_medium(10.0, {fast, fast});
  CHECK(route_in(network, 0, 1).uses == std::vector<ResourceUse>{{0, 1.0}});
  CHECK(route_in(network, 1, 0).uses == std::vector<ResourceUse>{{0, 1.0}});
  CHECK(network.resources[0].half_duplex);
}

TEST_CASE("between switches the shortest path is taken, and the first one of two") {
  // 0 - 1 - 2 and 0 - 3 - 2: the path over 1 came first.
  NetworkTopology network;
  for (int i = 0; i < 3; ++i) add_point(network);
  const uint32_t near = add_host(network, 0, fast), far = add_host(network, 2, fast);
  const HostLink link{.up_bytes_per_second = 10.0, .down_bytes_per_second = 20.0, .latency = 5ms};
  add_trunk(network, 0, 1, link);
  add_trunk(network, 1, 2, link);
  add_trunk(network, 0, 3, link);
  add_trunk(network, 2, 3, link);
  CHECK(defects(network).empty());
  const NetworkRoute there = route_in(network, near, far), back = route_in(network, far, near);
  CHECK(there.latency == 11ms);
  REQUIRE(there.uses.size() == 4);
  CHECK(there.uses[1].resource == network.trunks[0].forward.resource);
  CHECK(there.uses[2].resource == network.trunks[1].forward.resource);
  CHECK(back.uses[1].resource == network.trunks[1].back.resource);
  CHECK(network.resources[back.uses[1].resource].bytes_per_second == 20.0);
}

TEST_CASE("stations of one cell take its air twice, a station and a wired host once") {
  NetworkTopology network;
  const uint32_t air = add_air(network, air_802_11n(AirKind::access_point));
  const uint32_t a = add_station(network, 0, air, 0ms), b = add_station(network, 0, air, 0ms);
  const uint32_t wired = add_host(network, 0, fast);
  CHECK(route_in(network, a, b).uses == std::vector<ResourceUse>{{air, 2.0}});
  CHECK(route_in(network, a, wired).uses.front() == ResourceUse{air, 1.0});
  CHECK(route_in(network, wired, b).uses.back() == ResourceUse{air, 1.0});
}

TEST_CASE("losses along a route add up as chances do") {
  HostLink lossy = fast;
  lossy.loss = 0.5;
  NetworkTopology network;
  add_point(network);
  add_host(network, 0, lossy);
  add_host(network, 1, lossy);
  add_trunk(network, 0, 1, lossy);
  CHECK(route_in(network, 0, 1).loss == doctest::Approx(0.75));
}

TEST_CASE("the air's rate lies between those that were measured") {
  const AirTable table{{.senders = 1, .bytes_per_second = 100.0, .access = 1ms},
                       {.senders = 5, .bytes_per_second = 60.0, .access = 3ms}};
  CHECK(air_rate(table, 0).bytes_per_second == 100.0);
  CHECK(air_rate(table, 1).bytes_per_second == 100.0);
  CHECK(air_rate(table, 3).bytes_per_second == doctest::Approx(80.0));
  CHECK(air_rate(table, 3).access == 2ms);
  CHECK(air_rate(table, 50).bytes_per_second == 60.0);
}

TEST_CASE("defects name what has no rate, what is out of order and what nothing joins") {
  NetworkTopology network = star({fast, {.up_bytes_per_second = 1.0}});
  CHECK(defects(network) == std::vector<std::string>{"Resource 3 has no rate."});
  network.resources[3].bytes_per_second = 1.0;
  network.resources[0].steps = {{Time{} + 2s, 5.0}, {Time{} + 1s, 0.0}};
  CHECK(defects(network) == std::vector<std::string>{"Resource 0 has a step without a rate.",
                                                     "Resource 0 has steps out of order."});
  network.resources[0].steps.clear();
  add_host(network, add_point(network), fast);
  CHECK(defects(network) == std::vector<std::string>{"No path joins hosts 0 and 2."});
}
