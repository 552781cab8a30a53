// Beats of one tick as one event, which goes from one beat to the next. A beat is a small message:
// it changes no other message but for the time in which it leaves its sender's port, and that is
// kept.
//
//   single beats   message, message, message ...      one event   |1 -> 2 -> 3 ... -> n
//
// A beat that could be part of a flow, be lost, lie, or meet a fault of its wire is sent as others.
#include <algorithm>
#include <utility>

#include "sim/cluster_host.hpp"

namespace shingle::sim {

bool VirtualCluster::takes_part_in_tick(const Host& sender, const Send& send) {
  if (!wires_.in_tick || sender.liar || !std::holds_alternative<Beat>(send.message)) return false;
  const auto way = std::pair(sender.id(), send.to);
  const Pair pair = std::minmax(way.first, way.second);
  if (faults_.parted.contains(pair) || faults_.tangled.contains(pair) ||
      faults_.clogged.contains(way))
    return false;
  const auto at =
      network_.send_by_hand(index_of(way.first), index_of(way.second), plain_header_bytes, now());
  if (!at) return false;
  wires_.tick.envelope = send.envelope;
  wires_.tick.beats.push_back({*at + options_.relay_delay, send.to,
                               breaks_of(way.first, way.second), send.envelope.pasted_bytes});
  return true;
}

void VirtualCluster::send_tick() {
  Ticked tick = std::exchange(wires_.tick, {});
  std::stable_sort(tick.beats.begin(), tick.beats.end(),
                   [](const TickBeat& a, const TickBeat& b) { return a.at < b.at; });
  TraceEvent event;
  event.kind = TraceEvent::Kind::sent;
  event.what = name_of(Message(Beat{}));
  event.bytes = static_cast<int64_t>(tick.beats.size());
  record(tick.envelope.from, std::move(event));
  const Time first = tick.beats.front().at;
  schedule(first, std::move(tick));
}

void VirtualCluster::happen(Ticked& tick) {
  const TickBeat& beat = tick.beats[tick.next++];
  tick.envelope.pasted_bytes = beat.pasted_bytes;
  Host& receiver = host(beat.to);
  if (receiver.node != nullptr && (receiver.ails.hung || receiver.liar)) {
    Arrived late{new_cargo()};
    late.cargo->from = tick.envelope.from;
    late.cargo->to = beat.to;
    late.cargo->connection = beat.connection;
    late.cargo->envelope = tick.envelope;
    late.cargo->message = Beat{};
    happen(late);
  } else if (receiver.node != nullptr &&
             beat.connection == breaks_of(tick.envelope.from, beat.to)) {
    step(receiver, MessageReceived{tick.envelope, Beat{}, 0});
  }
  if (tick.next == tick.beats.size()) return;
  const Time next = tick.beats[tick.next].at;
  schedule(next, std::move(tick));
}

}  // namespace shingle::sim
