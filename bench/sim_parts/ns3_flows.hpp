// Flows alone: drawn hosts, rates and sizes, on connections that were warmed with 30 kB each way.
#pragma once

#include <cmath>
#include <set>

#include "bench/sim_parts/ns3_seeds.hpp"
#include "partition/network/wifi_table.hpp"
#include "sim/pipe/network_description.hpp"

namespace shingle::bench {

struct DrawnFlow {
  uint32_t from = 0, to = 0;
  int64_t bytes = 0;
  Duration begin{};
};

struct FlowCase {
  std::string name;
  NetworkTopology network;
  std::vector<sim::RadioMode> radios{};
  std::vector<DrawnFlow> flows{};  // ascending begins, each pair once
};

// shingle-ns3 warms its connections itself, its windows do not shrink while they are idle, and its
// slow start is ns-3's. Of its packets, which have no time stamps, one of 42 bytes acknowledges two
// of 1490.
inline constexpr int64_t warm_bytes = 30'000;
inline TcpOptions packet_tcp() {
  return {.least_timeout = std::chrono::hours(1),
          .acknowledgement_share = 42.0 / (2 * 1490),
          .slow_start = SlowStart::ns3,
          .taken_packets = 2.5};
}
inline constexpr uint64_t drawn_seeds = 50;  // of the fluid model; a run takes a millisecond

// Milliseconds from each flow's begin to its end, which is awaited for an hour.
inline std::vector<double> flow_times(sim::VirtualNetwork& wires, const FlowCase& what,
                                      Time start) {
  std::vector<double> times(what.flows.size(), 0.0);
  std::vector<NetworkArrival> arrivals;
  size_t next = 0, arrived = 0;
  for (const Time end = start + std::chrono::hours(1); arrived < times.size();) {
    const Time begin = next < what.flows.size() ? start + what.flows[next].begin : end;
    const Time change = wires.next_change(begin);
    must(wires.status() ? Result<bool>(true) : Result<bool>(wires.status().failure()));
    if (std::min(begin, change) >= end) must(Result<bool>(Error{"a flow does not end"}));
    if (change >= begin) {  // all that begins at one time is sent before anything happens
      const DrawnFlow& flow = what.flows[next];
      wires.send(flow.from, flow.to, flow.bytes, next++, begin);
      continue;
    }
    arrivals.clear();
    wires.advance(change, arrivals);
    for (const NetworkArrival& each : arrivals)
      times[each.cargo] = in_nanoseconds(each.at - start - what.flows[each.cargo].begin) / 1e6;
    arrived += arrivals.size();
  }
  return times;
}

// As shingle-ns3 does it: one connection after the other, both ways.
inline Time warm_up(sim::VirtualNetwork& wires, const FlowCase& what) {
  Time now{};
  std::vector<NetworkArrival> arrivals;
  for (const DrawnFlow& flow : what.flows)
    for (const auto& [from, to] : {std::pair(flow.from, flow.to), std::pair(flow.to, flow.from)}) {
      wires.send(from, to, warm_bytes, 0, now);
      for (arrivals.clear(); arrivals.empty(); wires.advance(now, arrivals))
        now = wires.next_change(Time::max());
      const Time settled = now + std::chrono::milliseconds(100);
      for (; (now = wires.next_change(settled)) < settled; wires.advance(now, arrivals)) {
      }
      wires.advance(now = settled, arrivals);
    }
  return now;
}

inline std::vector<double> fluid_times(const FlowCase& what, uint64_t seed) {
  sim::VirtualNetwork wires(what.network, packet_tcp(), seed);
  const Time start = warm_up(wires, what);
  return flow_times(wires, what, start);
}

// The mean over seeds where the model draws something: turns on the air.
inline std::vector<double> fluid_times(const FlowCase& what) {
  std::vector<double> sum = fluid_times(what, 1);
  if (fluid_times(what, 2) == sum) return sum;
  for (uint64_t seed = 2; seed <= drawn_seeds; ++seed) {
    const std::vector<double> times = fluid_times(what, seed);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += times[i];
  }
  for (double& each : sum) each /= static_cast<double>(drawn_seeds);
  return sum;
}

inline std::vector<double> packet_times(const FlowCase& what, const sim::StartSimulator& simulator,
                                        uint64_t seed) {
  sim::PipedTopology topology = must(describe(what.network, what.radios, seed));
  topology.connections.clear();
  for (const DrawnFlow& flow : what.flows) topology.connections.push_back({flow.from, flow.to});
  auto packets = must(sim::PipedNetwork::open(must(simulator()), topology));
  sim::VirtualNetwork wires(what.network, std::move(packets));
  return flow_times(wires, what, Time{});
}

// Each pair of hosts has one connection, in one direction.
inline void draw_flows(Draw& draw, size_t count, double least_bytes, double most_bytes,
                       Duration spread, FlowCase& what) {
  const auto hosts = static_cast<int32_t>(what.network.hosts.size());
  std::set<std::pair<uint32_t, uint32_t>> pairs;
  for (size_t tries = 0; what.flows.size() < count && tries < 100; ++tries) {
    const auto from = static_cast<uint32_t>(draw.random.between(0, hosts - 1));
    const auto to = static_cast<uint32_t>(draw.random.between(0, hosts - 1));
    if (from == to || !pairs.insert(std::minmax(from, to)).second) continue;
    what.flows.push_back(
        {from, to, std::llround(draw.log_between(least_bytes, most_bytes)),
         Duration(static_cast<int64_t>(draw.random.uniform() * in_nanoseconds(spread)))});
  }
  std::ranges::stable_sort(what.flows, {}, &DrawnFlow::begin);
}

inline FlowCase drawn_star(uint64_t seed) {
  Draw draw{sim::Random(seed)};
  std::vector<HostLink> hosts;
  const int32_t count = draw.random.between(2, 8);
  const double fastest = draw.log_between(20.0, 1000.0), slowest = fastest * draw.between(0.2, 1.0);
  for (int32_t i = 0; i < count; ++i)
    hosts.push_back({.up_bytes_per_second = draw.between(slowest, fastest) * 125'000 * 0.9415,
                     .down_bytes_per_second = draw.between(slowest, fastest) * 125'000 * 0.9415,
                     .latency = Duration(draw.random.between(50'000, 1'000'000))});
  FlowCase what{.name = std::to_string(count) + " hosts, " + std::to_string(std::lround(slowest)) +
                        " to " + std::to_string(std::lround(fastest)) + " Mb/s",
                .network = star(hosts)};
  // A packet simulator's wire has one latency for both directions.
  for (NetworkPort& host : what.network.hosts)
    host.up.latency = host.down.latency = host.up.latency / 2;
  draw_flows(draw, static_cast<size_t>(draw.random.between(1, 2 * count)), 1e4, 1e7,
             std::chrono::milliseconds(200), what);
  return what;
}

inline FlowCase drawn_cell(uint64_t seed) {
  Draw draw{sim::Random(seed)};
  const std::vector<std::string_view> modes = wifi_modes();
  const std::string mode(
      modes[static_cast<size_t>(draw.random.between(0, static_cast<int32_t>(modes.size()) - 1))]);
  const bool ad_hoc = draw.random.chance(0.5);
  const AirKind kind = ad_hoc ? AirKind::ad_hoc : AirKind::access_point;
  const int32_t count = draw.random.between(2, 8);
  FlowCase what{
      .name = std::to_string(count) + " stations, " + mode + (ad_hoc ? " ad hoc" : " access point"),
      .network = {}};
  const uint32_t air = add_air(what.network, *air_table(mode, kind), radio_timing(mode, kind));
  for (int32_t i = 0; i < count; ++i) {
    if (ad_hoc)
      what.network.hosts.push_back({.point = 0, .up = {.resource = air}});
    else
      add_station(what.network, 0, air, {});
  }
  what.radios = {{.air = air, .kind = kind, .mode = mode}};
  draw_flows(draw, static_cast<size_t>(draw.random.between(1, count)), 1e5, 1e6, {}, what);
  return what;
}

struct FlowError {
  double error = 0.0;  // of the time
  double fluid_ms = 0.0, packets_ms = 0.0;
  int64_t bytes = 0;
};

inline std::vector<FlowError> errors_of(const FlowCase& what,
                                        const sim::StartSimulator& simulator) {
  const std::vector<double> fluid = fluid_times(what);
  const std::vector<sim::Interval> packets =
      settled([&](uint64_t seed) { return packet_times(what, simulator, seed); });
  std::vector<FlowError> errors;
  for (size_t i = 0; i < fluid.size(); ++i)
    errors.push_back({.error = std::abs(fluid[i] - packets[i].mean) / packets[i].mean,
                      .fluid_ms = fluid[i],
                      .packets_ms = packets[i].mean,
                      .bytes = what.flows[i].bytes});
  return errors;
}

// The mean over all flows of all cases.
inline double flow_error(const std::vector<FlowCase>& cases, const sim::StartSimulator& simulator) {
  std::vector<std::vector<FlowError>> errors(cases.size());
  on_all_cores(cases.size(), [&](size_t i) { errors[i] = errors_of(cases[i], simulator); });
  std::vector<double> all;
  for (size_t i = 0; i < cases.size(); ++i) {
    std::vector<double> own;
    for (const FlowError& each : errors[i]) own.push_back(each.error);
    const FlowError worst = *std::ranges::max_element(errors[i], {}, &FlowError::error);
    std::printf(
        "  %-32s %2zu flows  mean %6.2f %%  worst %6.2f %%: %8ld B, fluid %9.3f, "
        "ns-3 %9.3f ms\n",
        cases[i].name.c_str(), own.size(), 100 * mean_of(own), 100 * worst.error,
        static_cast<long>(worst.bytes), worst.fluid_ms, worst.packets_ms);
    all.insert(all.end(), own.begin(), own.end());
  }
  return mean_of(all);
}

inline double star_flow_error(const sim::StartSimulator& simulator, uint64_t seed) {
  std::printf("\nFlows on stars, 10 kB to 10 MB (target: 1 %%)\n");
  std::vector<FlowCase> cases;
  for (uint64_t i = 0; i < 40; ++i) cases.push_back(drawn_star(sim::mix(seed, i)));
  return flow_error(cases, simulator);
}

inline double cell_flow_error(const sim::StartSimulator& simulator, uint64_t seed) {
  std::printf("\nFlows in Wi-Fi cells, 100 kB to 1 MB (target: 5 %%)\n");
  std::vector<FlowCase> cases;
  for (uint64_t i = 0; i < 24; ++i) cases.push_back(drawn_cell(sim::mix(seed, 1000 + i)));
  return flow_error(cases, simulator);
}

}  // namespace shingle::bench
