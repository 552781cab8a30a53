// The wires: crossing them, breaking them, and what no TCP would do to a message.
#include <algorithm>
#include <utility>

#include "sim/cluster_host.hpp"

namespace shingle::sim {

namespace {

constexpr double doubled = 0.1, delayed = 0.2;  // of the messages on a tangled wire
constexpr int32_t most_delay_ms = 50;
constexpr uint64_t flow_bit = uint64_t{1} << 63;  // of a cargo number: it is that of a flow

// The bytes of a message on the wire, without the payload of a piece.
int64_t header_bytes(const Message& message) {
  const auto* offer = std::get_if<PlanOffer>(&message);
  return plain_header_bytes + (offer == nullptr ? 0 : static_cast<int64_t>(offer->text.size()));
}

}  // namespace

void VirtualCluster::cross(Cargo cargo) {
  const int64_t bytes = header_bytes(cargo->message) + cargo->payload_bytes;
  if (cargo->payload_bytes > 0) count_packets(host(cargo->from), cargo->payload_bytes, 0);
  cargo->stray = faults_.tangled.contains(std::minmax(cargo->from, cargo->to));
  if (!cargo->is_beat()) ++progress_.foreground;
  if (wires_.free_places.empty()) {
    wires_.free_places.push_back(wires_.cargo.size());
    wires_.cargo.emplace_back();
  }
  const uint64_t place = wires_.free_places.back();
  wires_.free_places.pop_back();
  const uint32_t from = index_of(cargo->from), to = index_of(cargo->to);
  wires_.cargo[place] = std::move(cargo);
  network_.send(from, to, bytes, place, now());
}

VirtualCluster::Cargo VirtualCluster::off_the_wire(uint64_t place) {
  Cargo cargo = std::move(wires_.cargo[place]);
  wires_.free_places.push_back(place);
  if (!cargo->is_beat()) --progress_.foreground;
  return cargo;
}

void VirtualCluster::happen(FlowBegun& event) {
  ++progress_.foreground;
  network_.send(event.from, event.to, event.bytes, event.number | flow_bit, now());
}

void VirtualCluster::arrive(const NetworkArrival& arrival) {
  ++record_.events;
  if ((arrival.cargo & flow_bit) != 0) {
    --progress_.foreground;
    if (options_.on_flow) options_.on_flow(arrival.cargo & ~flow_bit);
    return;
  }
  Cargo cargo = off_the_wire(arrival.cargo);
  if (cargo->payload_bytes > 0) count_packets(host(cargo->to), 0, cargo->payload_bytes);
  if (cargo->stray) return go_astray(std::move(cargo));
  Arrived event{std::move(cargo)};
  if (options_.relay_delay > Duration::zero())
    return schedule(now() + options_.relay_delay, std::move(event));
  happen(event);
  if (event.cargo) wires_.spare.push_back(std::move(event.cargo));
}

VirtualCluster::Cargo VirtualCluster::new_cargo() {
  if (wires_.spare.empty()) return std::make_unique<InFlight>();
  Cargo cargo = std::move(wires_.spare.back());
  wires_.spare.pop_back();
  *cargo = InFlight{};
  return cargo;
}

void VirtualCluster::go_astray(Cargo cargo) {
  const auto late = [&] {
    return now() + std::chrono::milliseconds(stray_random_.between(0, most_delay_ms));
  };
  if (stray_random_.chance(doubled)) schedule(late(), Arrived{std::make_unique<InFlight>(*cargo)});
  schedule(stray_random_.chance(delayed) ? late() : now(), Arrived{std::move(cargo)});
}

// What has not left yet is lost with the connection, but for what goes astray.
void VirtualCluster::break_wire(NodeId a, NodeId b) {
  hear_kept(host(a));  // on the connection that breaks
  hear_kept(host(b));
  ++faults_.breaks[std::minmax(a, b)];
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    for (const uint64_t place : network_.break_connection(index_of(from), index_of(to), now())) {
      Cargo cargo = off_the_wire(place);
      if (cargo->stray) go_astray(std::move(cargo));
    }
  }
}

uint64_t VirtualCluster::breaks_of(NodeId a, NodeId b) const {
  const auto breaks = faults_.breaks.find(std::minmax(a, b));
  return breaks == faults_.breaks.end() ? 0 : breaks->second;
}

bool VirtualCluster::is_lost(const InFlight& cargo) const {
  if (cargo.stray && faults_.tangled.contains(std::minmax(cargo.from, cargo.to))) return false;
  return cargo.connection != breaks_of(cargo.from, cargo.to);
}

void VirtualCluster::connect(NodeId a, NodeId b) {
  if (faults_.abandoned.contains(std::minmax(a, b))) return;
  faults_.parted.erase(std::minmax(a, b));
  schedule(now() + latency(a, b), Noticed{a, b, false});
  schedule(now() + latency(a, b), Noticed{b, a, false});
}

void VirtualCluster::part(NodeId a, NodeId b, Ending ending) {
  const Pair pair = std::minmax(a, b);
  if (!faults_.parted.insert(pair).second) return;
  break_wire(a, b);
  if (ending == Ending::silent) return;
  schedule(now() + latency(a, b), Noticed{a, b, true});
  schedule(now() + latency(a, b), Noticed{b, a, true});
}

// The connection breaks and comes back.
void VirtualCluster::begin_anew(NodeId a, NodeId b) {
  if (faults_.parted.contains(std::minmax(a, b))) return;
  part(a, b);
  connect(a, b);
}

// Only `a` has noticed that its connection was gone.
void VirtualCluster::half_begin_anew(NodeId a, NodeId b) {
  if (faults_.parted.contains(std::minmax(a, b))) return;
  break_wire(a, b);
  schedule(now() + latency(a, b), Noticed{a, b, true});
  schedule(now() + latency(a, b), Noticed{a, b, false});
}

}  // namespace shingle::sim
