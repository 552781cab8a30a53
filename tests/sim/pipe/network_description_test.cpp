#include "sim/pipe/network_description.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace shingle::sim {
namespace {

constexpr double mbps = 125'000.0;  // bytes per second

bool has(const PipedTopology& topology, const std::string& request) {
  const std::vector<std::string> requests = requests_for(topology);
  return std::find(requests.begin(), requests.end(), request) != requests.end();
}

TEST_CASE("a star is described with its rates as packets, its latencies and its losses") {
  const HostLink link{.up_bytes_per_second = 94 * mbps,
                      .down_bytes_per_second = 47 * mbps,
                      .latency = std::chrono::microseconds(200),
                      .loss = 0.01};
  const auto topology = describe(star({link, link}), {}, 5);
  REQUIRE(topology.ok());
  // 94 Mb/s of payload are 94 * 1500 / 1448 of packets; half of the latency lies before the switch.
  CHECK(requests_for(*topology) ==
        std::vector<std::string>{
            "seed 5", "host 0", "host 1", "switch 2", "link 0 2 97375691 48687845 100000 10000 0",
            "link 1 2 97375691 48687845 100000 10000 0", "connect 0 1", "start"});
}

TEST_CASE("stations of a cell and a wire meet at the access point") {
  NetworkTopology network;
  const uint32_t air = add_air(network, air_802_11n(AirKind::access_point));
  add_station(network, 0, air, {});
  add_station(network, 0, air, {});
  add_host(network, 0, {.up_bytes_per_second = 94 * mbps, .down_bytes_per_second = 94 * mbps});
  const auto topology = describe(network, {{air, AirKind::access_point, "n-7-20-800"}}, 1);
  REQUIRE(topology.ok());
  CHECK(has(*topology, "cell 3 infrastructure n-7-20-800"));
  CHECK(has(*topology, "station 0 3"));
  CHECK(has(*topology, "station 1 3"));
  CHECK(has(*topology, "link 2 3 97375691 97375691 0 0 0"));
  CHECK(topology->switches.empty());
}

TEST_CASE("hosts that share a port reach it through a switch of their own") {
  const HostLink link{.up_bytes_per_second = mbps,
                      .down_bytes_per_second = mbps,
                      .latency = std::chrono::microseconds(200)};
  NetworkTopology network = star({link, link});
  network.hosts.push_back(network.hosts[0]);
  const auto topology = describe(network, {}, 1);
  REQUIRE(topology.ok());
  CHECK(topology->switches == std::vector<uint32_t>{9, 3});
  CHECK(has(*topology, "link 9 3 1035912 1035912 100000 0 0"));
  CHECK(has(*topology, "link 0 9 100000000000 100000000000 0 0 0"));
  CHECK(has(*topology, "link 2 9 100000000000 100000000000 0 0 0"));
  CHECK(has(*topology, "link 1 3 1035912 1035912 100000 0 0"));
}

TEST_CASE("trunks join switches") {
  NetworkTopology network = star({});
  const uint32_t other = add_point(network);
  const HostLink link{.up_bytes_per_second = mbps, .down_bytes_per_second = mbps};
  add_host(network, 0, link);
  add_host(network, other, link);
  add_trunk(network, 0, other, link);
  const auto topology = describe(network, {}, 1);
  REQUIRE(topology.ok());
  CHECK(topology->switches == std::vector<uint32_t>{2, 3});
  CHECK(has(*topology, "link 2 3 1035912 1035912 0 0 0"));
}

TEST_CASE("rates over time become steps of links, in the order of time") {
  NetworkTopology network =
      star({{.up_bytes_per_second = mbps, .down_bytes_per_second = 2 * mbps},
            {.up_bytes_per_second = mbps, .down_bytes_per_second = 2 * mbps}});
  network.resources[3].steps = {{Time(Duration(500)), 4 * mbps}};
  network.resources[0].steps = {{Time(Duration(100)), mbps / 2}, {Time(Duration(900)), mbps}};
  const auto topology = describe(network, {}, 1);
  REQUIRE(topology.ok());
  REQUIRE(topology->steps.size() == 3);
  CHECK(topology->steps[0] == PipedRateStep{Time(Duration(100)), 0, true, 517956});
  CHECK(topology->steps[1] == PipedRateStep{Time(Duration(500)), 1, false, 4143646});
  CHECK(topology->steps[2] == PipedRateStep{Time(Duration(900)), 0, true, 1035912});
}

TEST_CASE("what packets cannot simulate is refused") {
  CHECK(describe(one_medium(mbps, {{}, {}}), {}, 1).error() ==
        "a medium that several wires share cannot be described to a simulator");
  NetworkTopology network;
  add_station(network, 0, add_air(network, air_802_11n(AirKind::ad_hoc)), {});
  CHECK(describe(network, {}, 1).error() ==
        "the air of host 0 has no radio mode, without which packets cannot be simulated");
}

}  // namespace
}  // namespace shingle::sim
