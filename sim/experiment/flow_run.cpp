#include "sim/experiment/flow_run.hpp"

#include <algorithm>
#include <cassert>

#include "sim/experiment/experiment_network.hpp"
#include "sim/random.hpp"

namespace shingle::sim {

namespace {

// Of the time and all that happens in it: the same for the same run.
uint64_t hash_of(const std::vector<FlowOutcome>& flows) {
  uint64_t hash = 0;
  for (const FlowOutcome& flow : flows)
    hash = mix(hash, flow.took ? static_cast<uint64_t>(flow.took->count()) : UINT64_MAX);
  return hash;
}

Result<VirtualNetwork> wires_of(const Experiment& experiment, const ExperimentNetwork& network,
                                const StartSimulator& simulator, uint64_t seed) {
  if (!simulator) return VirtualNetwork(network.topology, TcpOptions{}, seed);
  auto packets = open_packets(experiment, network, simulator, seed);
  if (!packets) return packets.failure();
  return VirtualNetwork(network.topology, std::move(*packets));
}

void add_loads(const VirtualNetwork& wires, const ExperimentNetwork& network, RunResult& result) {
  const NetworkTotals& bytes = wires.totals();
  if (bytes.sent != bytes.arrived + bytes.lost + bytes.under_way)
    result.breaches.emplace_back(
        "bytes sent are not those that arrived, were lost or are under way");
  const FluidNetwork* fluid = wires.fluid();
  for (uint32_t i = 0; fluid != nullptr && i < network.names.size(); ++i)
    result.wires.push_back({network.names[i], fluid->load(i).bytes, fluid->load(i).busy});
}

}  // namespace

Result<RunResult> run_flows(const Experiment& experiment, uint64_t seed,
                            const SeedRunOptions& options) {
  const ExperimentFile& file = experiment.file;
  assert(file.sources.empty());
  const ExperimentNetwork network = network_of(file, Time{});
  auto opened = wires_of(experiment, network, options.simulator, seed);
  if (!opened) return opened.failure();
  VirtualNetwork& wires = *opened;
  RunResult result{
      .seed = seed, .simulator = wires.simulator(), .measured = file.duration - file.warm_up};
  std::vector<size_t> order;  // by begin
  for (const ExperimentFlow& flow : file.flows) {
    order.push_back(order.size());
    result.flows.push_back({.from = flow.from, .to = flow.to, .bytes = flow.bytes});
  }
  std::ranges::stable_sort(order, {}, [&](size_t i) { return file.flows[i].at; });
  std::vector<NetworkArrival> arrivals;
  const Time end = Time{} + file.duration;
  for (size_t next = 0;;) {
    const Time begin = next < order.size() ? Time{} + file.flows[order[next]].at : Time::max();
    const Time change = wires.next_change(std::min(begin, end));
    if (const Status works = wires.status(); !works) return works.failure();
    if (std::min(begin, change) > end) break;
    if (change <= begin) {
      wires.advance(change, arrivals);
    } else {
      const size_t flow = order[next++];
      wires.send(network.flow_source(file, flow), network.flow_target(file, flow),
                 file.flows[flow].bytes, flow, begin);
    }
    ++result.steps;
  }
  for (const NetworkArrival& arrival : arrivals)
    result.flows[arrival.cargo].took = arrival.at - (Time{} + file.flows[arrival.cargo].at);
  add_loads(wires, network, result);
  result.trace_hash = hash_of(result.flows);
  return result;
}

}  // namespace shingle::sim
