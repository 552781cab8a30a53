#include "sim/virtual_network.hpp"

namespace shingle::sim {

VirtualNetwork::VirtualNetwork(NetworkTopology topology, const TcpOptions& tcp, uint64_t seed)
    : network_(std::in_place_type<FluidNetwork>, std::move(topology), tcp, seed) {}

VirtualNetwork::VirtualNetwork(NetworkTopology topology, PipedNetwork packets)
    : network_(Packets{std::move(packets), topology, TrunkPaths(topology)}) {}

void VirtualNetwork::send(uint32_t from, uint32_t to, int64_t bytes, uint64_t cargo, Time now) {
  if (auto* fluid = std::get_if<FluidNetwork>(&network_))
    fluid->send(from, to, bytes, cargo, now);
  else
    std::get<Packets>(network_).network.send(from, to, bytes, cargo, now);
}

std::optional<Time> VirtualNetwork::send_by_hand(uint32_t from, uint32_t to, int64_t bytes,
                                                 Time now) {
  auto* fluid = std::get_if<FluidNetwork>(&network_);
  return fluid == nullptr ? std::nullopt : fluid->send_by_hand(from, to, bytes, now);
}

Time VirtualNetwork::next_change(Time horizon) {
  if (auto* fluid = std::get_if<FluidNetwork>(&network_)) return fluid->next_change();
  return std::get<Packets>(network_).network.next_change(horizon);
}

void VirtualNetwork::advance(Time now, std::vector<NetworkArrival>& arrivals) {
  if (auto* fluid = std::get_if<FluidNetwork>(&network_))
    fluid->advance(now, arrivals);
  else
    std::get<Packets>(network_).network.advance(now, arrivals);
}

std::vector<uint64_t> VirtualNetwork::break_connection(uint32_t from, uint32_t to, Time now) {
  if (auto* fluid = std::get_if<FluidNetwork>(&network_))
    return fluid->break_connection(from, to, now);
  return std::get<Packets>(network_).network.break_connection(from, to, now);
}

Duration VirtualNetwork::latency(uint32_t from, uint32_t to) const {
  if (const FluidNetwork* model = fluid()) return model->latency(from, to);
  const auto& packets = std::get<Packets>(network_);
  return route(packets.topology, packets.paths, from, to).latency;
}

const NetworkTotals& VirtualNetwork::totals() const {
  if (const FluidNetwork* model = fluid()) return model->totals();
  return std::get<Packets>(network_).network.totals();
}

Status VirtualNetwork::status() const {
  return fluid() != nullptr ? success() : std::get<Packets>(network_).network.status();
}

std::string VirtualNetwork::simulator() const {
  return fluid() != nullptr ? std::string() : std::get<Packets>(network_).network.simulator();
}

}  // namespace shingle::sim
