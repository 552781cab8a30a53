// The wires: crossing them, breaking them, and what no TCP would do to a message.
#include <algorithm>
#include <utility>

#include "sim/cluster_host.hpp"

namespace shingle::sim {

namespace {

constexpr double doubled = 0.1, delayed = 0.2;  // of the messages on a tangled wire
constexpr int32_t most_delay_ms = 50;

}  // namespace

void VirtualCluster::cross(Cargo cargo) {
  const int64_t bytes = header_bytes(cargo->message) + cargo->payload_bytes;
  const Time at = network_.cross(cargo->from, cargo->to, bytes, now());
  if (faults_.tangled.contains(std::minmax(cargo->from, cargo->to)))
    return go_astray(std::move(cargo), at);
  schedule(at, AtPort{std::move(cargo)});
}

void VirtualCluster::go_astray(Cargo cargo, Time at) {
  const auto late = [&] {
    return at + std::chrono::milliseconds(stray_random_.between(0, most_delay_ms));
  };
  cargo->stray = true;
  if (stray_random_.chance(doubled)) schedule(late(), AtPort{std::make_unique<InFlight>(*cargo)});
  schedule(stray_random_.chance(delayed) ? late() : at, AtPort{std::move(cargo)});
}

bool VirtualCluster::is_lost(const InFlight& cargo) const {
  const Pair pair = std::minmax(cargo.from, cargo.to);
  if (cargo.stray && faults_.tangled.contains(pair)) return false;
  const auto breaks = faults_.breaks.find(pair);
  return cargo.connection != (breaks == faults_.breaks.end() ? 0 : breaks->second);
}

void VirtualCluster::connect(NodeId a, NodeId b) {
  if (faults_.abandoned.contains(std::minmax(a, b))) return;
  faults_.parted.erase(std::minmax(a, b));
  schedule(now() + network_.latency(), Noticed{a, b, false});
  schedule(now() + network_.latency(), Noticed{b, a, false});
}

void VirtualCluster::part(NodeId a, NodeId b, Ending ending) {
  const Pair pair = std::minmax(a, b);
  if (!faults_.parted.insert(pair).second) return;
  ++faults_.breaks[pair];
  if (ending == Ending::silent) return;
  schedule(now() + network_.latency(), Noticed{a, b, true});
  schedule(now() + network_.latency(), Noticed{b, a, true});
}

// The connection breaks and comes back.
void VirtualCluster::begin_anew(NodeId a, NodeId b) {
  if (faults_.parted.contains(std::minmax(a, b))) return;
  part(a, b);
  connect(a, b);
}

// Only `a` has noticed that its connection was gone.
void VirtualCluster::half_begin_anew(NodeId a, NodeId b) {
  const Pair pair = std::minmax(a, b);
  if (faults_.parted.contains(pair)) return;
  ++faults_.breaks[pair];
  schedule(now() + network_.latency(), Noticed{a, b, true});
  schedule(now() + network_.latency(), Noticed{a, b, false});
}

}  // namespace shingle::sim
