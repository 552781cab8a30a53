// VirtualNetwork: the wires of a virtual cluster. Either the fluid model, or packets, which a
// simulator in another process sends (sim/pipe). The verbs are the same.
#pragma once

#include <variant>

#include "partition/network/fluid.hpp"
#include "sim/pipe/piped_network.hpp"

namespace shingle::sim {

class VirtualNetwork {
 public:
  VirtualNetwork(NetworkTopology topology, const TcpOptions& tcp, uint64_t seed);
  // REQUIRES: `packets` was told of this topology (sim/pipe/network_description.hpp).
  VirtualNetwork(NetworkTopology topology, PipedNetwork packets);

  // REQUIRES: as FluidNetwork and PipedNetwork.
  void send(uint32_t from, uint32_t to, int64_t bytes, uint64_t cargo, Time now);
  // As FluidNetwork; packets: none.
  std::optional<Time> send_by_hand(uint32_t from, uint32_t to, int64_t bytes, Time now);
  // As PipedNetwork::next_change(). The fluid model sees beyond the horizon too.
  Time next_change(Time horizon);
  void advance(Time now, std::vector<NetworkArrival>& arrivals);
  std::vector<uint64_t> break_connection(uint32_t from, uint32_t to, Time now);

  Duration latency(uint32_t from, uint32_t to) const;
  const NetworkTotals& totals() const;
  // An error is for good, and nothing arrives any more: the simulator died, hung or lied.
  Status status() const;
  // "shingle-ns3 3.37"; empty: the fluid model.
  std::string simulator() const;
  // Null: packets. Then nobody says what each resource carries.
  const FluidNetwork* fluid() const { return std::get_if<FluidNetwork>(&network_); }

 private:
  struct Packets {
    PipedNetwork network;
    NetworkTopology topology;
    TrunkPaths paths;
  };

  std::variant<FluidNetwork, Packets> network_;
};

}  // namespace shingle::sim
