// Queues and waits of ns-3's windows, held against what shingle-ns3 measured on the same wires.
#include <doctest/doctest.h>

#include "partition/network/fluid.hpp"

using namespace shingle;
using namespace std::chrono_literals;

namespace {

struct Flow {
  uint32_t from = 0, to = 0;
  int64_t bytes = 0;
  Duration begin{};
};

HostLink host(double up, double down) {
  return {.up_bytes_per_second = up, .down_bytes_per_second = down, .latency = 250us};
}

// Milliseconds of each flow, on connections that were warmed with 30 kB each way, as shingle-ns3
// warms them.
std::vector<double> take(const std::vector<HostLink>& hosts, const std::vector<Flow>& flows) {
  NetworkTopology network = star(hosts);
  for (NetworkPort& each : network.hosts) each.down.latency = each.up.latency;
  FluidNetwork wires(network,
                     {.least_timeout = 1h,
                      .acknowledgement_share = 42.0 / (2 * 1490),
                      .slow_start = SlowStart::ns3,
                      .taken_packets = 2.5},
                     1);
  Time now{};
  std::vector<NetworkArrival> arrivals;
  const auto pass = [&](Time until) {
    for (; (now = wires.next_change()) < until; wires.advance(now, arrivals)) {
    }
    wires.advance(now = until, arrivals);
  };
  for (const Flow& flow : flows)
    for (const auto& [from, to] : {std::pair(flow.from, flow.to), std::pair(flow.to, flow.from)}) {
      wires.send(from, to, 30'000, 0, now);
      pass(now + 110ms);
    }
  arrivals.clear();
  const Time start = now;
  for (uint64_t i = 0; i < flows.size(); ++i) {
    pass(start + flows[i].begin);
    wires.send(flows[i].from, flows[i].to, flows[i].bytes, i, now);
  }
  pass(start + 10s);
  std::vector<double> times(flows.size(), 0.0);
  for (const NetworkArrival& each : arrivals)
    times[each.cargo] = 1e-6 * in_nanoseconds(each.at - start - flows[each.cargo].begin);
  return times;
}

doctest::Approx measured(double ms) { return doctest::Approx(ms).epsilon(0.01); }

}  // namespace

TEST_CASE("what stands before a slow port still passes it when its sender becomes slower") {
  // Without the queue 175.6 and 55.6 ms.
  const std::vector<double> ms = take({host(1e7, 1e7), host(1e7, 7.5e6), host(1e7, 7.5e6)},
                                      {{0, 1, 1'200'000, 0ms}, {0, 2, 300'000, 130ms}});
  CHECK(ms[0] == measured(163.50));
  CHECK(ms[1] == measured(51.50));
}

TEST_CASE("a sender's port is free when a flow's last bytes stand before the next one") {
  // Without the queue 155.6 ms.
  const std::vector<double> ms = take({host(1e7, 1e7), host(1e7, 5e6), host(1e7, 1e7)},
                                      {{0, 1, 1'200'000, 0ms}, {0, 2, 1'000'000, 130ms}});
  CHECK(ms[0] == measured(240.65));
  CHECK(ms[1] == measured(149.87));
}

TEST_CASE("a window that is too small waits longer where its acknowledgements meet other data") {
  const std::vector<HostLink> hosts = {host(4e7, 4e7), host(2e7, 4e7), host(4e7, 4e7)};
  CHECK(take(hosts, {{0, 1, 200'000, 20ms}})[0] == measured(7.537));
  CHECK(take(hosts, {{1, 2, 3'000'000, 0ms}, {0, 1, 200'000, 20ms}})[1] == measured(8.668));
}

TEST_CASE("a window that rested for seconds is larger after a round trip") {
  // With a twentieth in each round, as at first, 4.80 ms.
  CHECK(take({host(1e8, 1e8), host(1e8, 1e8)}, {{0, 1, 130'000, 5s}})[0] == measured(3.659));
}
