// Beats of one tick. A beat is a small message: it changes no other message but for the time in
// which it leaves its sender's port, and that is kept. So beats need no events of their own: they
// lie in their receivers' mailboxes.
//
//   tick of node 1  --->  mailbox of node 2:  |beat of 1, 10.2 ms|beat of 3, 10.4 ms|...
//                         node 2 hears them, each at its own time, before its next event
//
// A beat that may make its receiver act is heard by an event at its time: one that tells of tiles
// or closed frames, and any to a machine that hangs, lies, or acts at any event. A beat that could
// be part of a flow, be lost, lie, or meet a fault of its wire is sent as others.
#include <algorithm>
#include <utility>

#include "sim/cluster_host.hpp"

namespace shingle::sim {

VirtualCluster::KeptBeat VirtualCluster::Mailbox::take() {
  const auto begin = beats_.begin() + static_cast<std::ptrdiff_t>(next_);
  if (!in_order_)
    std::stable_sort(begin, beats_.end(),
                     [](const KeptBeat& a, const KeptBeat& b) { return a.at < b.at; });
  in_order_ = true;
  const KeptBeat beat = *begin;
  if (++next_ == beats_.size()) {
    beats_.clear();
    next_ = 0;
  }
  first_at_ = empty() ? Time::max() : beats_[next_].at;
  return beat;
}

// --- the sender ---

bool VirtualCluster::takes_part_in_tick(const Host& sender, const Send& send) {
  if (!wires_.in_tick || sender.liar || !std::holds_alternative<Beat>(send.message)) return false;
  const auto way = std::pair(sender.id(), send.to);
  const Pair pair = std::minmax(way.first, way.second);
  if (faults_.parted.contains(pair) || faults_.tangled.contains(pair) ||
      faults_.clogged.contains(way))
    return false;
  const uint32_t to = index_of(way.second);
  const auto at = network_.send_by_hand(index_of(way.first), to, plain_header_bytes, now());
  if (!at) return false;
  ++wires_.tick_beats;
  wires_.closed_below = send.envelope.closed_below;
  const KeptBeat beat{*at + options_.relay_delay, breaks_of(way.first, way.second), send.envelope};
  keep(*hosts_[to], beat, send.envelope.closed_below != sender.mail.told_closed);
  return true;
}

void VirtualCluster::end_tick(Host& sender) {
  if (wires_.tick_beats == 0) return;
  TraceEvent event;
  event.kind = TraceEvent::Kind::sent;
  event.what = name_of(Message(Beat{}));
  event.bytes = std::exchange(wires_.tick_beats, 0);
  sender.mail.told_closed = wires_.closed_below;
  record(sender.id(), std::move(event));
}

// --- the receiver ---

void VirtualCluster::keep(Host& receiver, const KeptBeat& beat, bool tells_of_closed_frames) {
  receiver.mail.box.put(beat);
  const bool may_wait =
      receiver.mail.may_wait && !tells_of_closed_frames && beat.envelope.ready_tiles == 0 &&
      (receiver.mail.attention.away == 0 || receiver.node->is_joined(beat.envelope.from));
  if (!may_wait) schedule(beat.at, MailDue{receiver.id()});
}

// After each step of the machine, and each fault: what lies in its box may no longer be able to
// wait. A peer that was just lost may have sent some of it.
void VirtualCluster::attend(Host& receiver) {
  Host::Mail& mail = receiver.mail;
  const uint64_t sessions_ended = mail.attention.sessions_ended;
  if (receiver.node != nullptr) mail.attention = receiver.node->attention();
  if (mail.attention.sessions_ended != sessions_ended) mail.all_until = mail.box.last_at();
  mail.may_wait = receiver.runs() && !receiver.liar && !mail.attention.at_any_event;
  const bool waits = mail.may_wait && mail.box.first_at() > mail.all_until;
  if (mail.box.empty() || waits) return;
  const Time at = std::max(mail.box.first_at(), now());
  if (mail.due > now() && mail.due <= at) return;
  mail.due = at;
  schedule(at, MailDue{receiver.id()});
}

void VirtualCluster::happen(MailDue& event) {
  Host& receiver = host(event.node);
  progress_.heard_by = now();
  hear_kept(receiver);
  while (receiver.mail.box.first_at() <= now()) hear_at_once(receiver, receiver.mail.box.take());
  attend(receiver);
}

// As any message.
void VirtualCluster::hear_at_once(Host& receiver, const KeptBeat& beat) {
  ++record_.events;
  const NodeId from = beat.envelope.from;
  if (receiver.node == nullptr || beat.connection != breaks_of(from, receiver.id())) return;
  if (!receiver.ails.hung && !receiver.liar)
    return step(receiver, MessageReceived{beat.envelope, Beat{}, 0});
  Arrived late{new_cargo()};
  late.cargo->from = from;
  late.cargo->to = receiver.id();
  late.cargo->connection = beat.connection;
  late.cargo->envelope = beat.envelope;
  late.cargo->message = Beat{};
  happen(late);
}

// What came before the event at hand. All this can wait, so it changes nothing but when the node
// wakes. Returns when the last of it came.
Time VirtualCluster::hear_kept(Host& receiver) {
  Mailbox& box = receiver.mail.box;
  Time last{};
  for (; box.first_at() < progress_.heard_by; hear_late(receiver, box.take()))
    last = box.first_at();
  return last;
}

void VirtualCluster::hear_late(Host& receiver, const KeptBeat& beat) {
  ++record_.events;
  if (receiver.node == nullptr || beat.connection != breaks_of(beat.envelope.from, receiver.id()))
    return;
  std::get<MessageReceived>(wires_.kept).envelope = beat.envelope;
  wires_.actions.clear();
  receiver.node->step(beat.at + receiver.machine.clock_offset, wires_.kept, wires_.actions);
  for (Action& action : wires_.actions) {
    auto* wake = std::get_if<WakeAt>(&action);
    if (wake == nullptr || wake->at - receiver.machine.clock_offset < now())
      breach(receiver.id(), "acts on a beat that it heard late");
    else
      carry_out(receiver, *wake);
  }
  check(receiver);
}

// At the end of a run, which ends as if these beats had been events.
void VirtualCluster::hear_all() {
  Time last = now();
  for (const auto& receiver : hosts_) last = std::max(last, hear_kept(*receiver));
  progress_.now = last;
}

}  // namespace shingle::sim
