// Peers: sessions, beats, silence, credits, adverts.
#include <algorithm>
#include <cassert>
#include <utility>

#include "runtime/node/node_state.hpp"

namespace shingle {

void Node::State::on(const PeerSeen& event) {
  Peer* peer = find_in(peers, event.peer);
  if (peer != nullptr && !peer->joined) begin_session(event.peer, *peer);
}

void Node::State::on(const PeerLost& event) {
  Peer* peer = find_in(peers, event.peer);
  if (peer == nullptr) return;
  peer->greeted = false;
  if (peer->joined) lose(event.peer, event.why);
}

void Node::State::begin_session(NodeId id, Peer& peer) {
  ++peer.session;
  peer.greeted = true;
  peer.taken_in_bytes = peer.told_bytes = 0;
  say_hello(id, peer);
}

void Node::State::say_hello(NodeId id, Peer& peer) {
  peer.answered = peer.its_session;
  peer.telling = true;
  act(Send{.to = id,
           .envelope = {},
           .message = Hello{.life = config.life,
                            .session = peer.session,
                            .answers = peer.its_session,
                            .credit_bytes = config.limits.link_credit_bytes,
                            .name = config.name,
                            .arithmetic_class = config.arithmetic_class,
                            .compute_slots = config.limits.compute_slots},
           .source = {},
           .region = {}});
}

void Node::State::on_hello(NodeId from, const Hello& hello) {
  Peer& peer = peers.at(from);
  if (peer.joined && hello.session == peer.its_session && hello.life == peer.hello.life)
    return;  // the second half of the greeting
  if (peer.joined) lose(from, "it began anew");
  const bool same_life = hello.life == peer.hello.life;
  if (std::exchange(peer.silenced, false) && same_life && has_only_stuttered(peer)) note_gap(peer);
  peer.its_session = hello.session;
  peer.hello = hello;
  peer.heard = now;
  if (!peer.greeted)
    begin_session(from, peer);
  else if (peer.answered != hello.session)
    say_hello(from, peer);
  if (hello.answers == peer.session) join(from, peer);
}

void Node::State::join(NodeId id, Peer& peer) {
  peer.joined = true;
  peer.ready = peer.running = 0;
  peer.inviting = false;
  peer.apart.clear();
  peer.told_at = now;
  peer.link.begin(std::min(config.limits.link_credit_bytes, peer.hello.credit_bytes),
                  config.limits.link_bytes_per_second);
  report_session(Report::Kind::peer_joined, id);
  if (peer.hello.compute_slots > 0) offer_plans_to(id);
  answer_askers();
}

// What every message of a session tells, whatever it is.
void Node::State::hear(Peer& peer, const MessageReceived& event) {
  const Envelope& envelope = event.envelope;
  note_gap(peer);
  peer.heard = now;
  peer.taken_in_bytes += static_cast<uint64_t>(event.payload_bytes);
  counters.payload_bytes_received += static_cast<uint64_t>(event.payload_bytes);
  if (!peer.link.acknowledge(envelope.pasted_bytes, now)) ++counters.messages_refused;
  const bool tells_of_surplus =
      envelope.ready_tiles > peer.ready || std::holds_alternative<Beat>(event.message);
  if (tells_of_surplus && envelope.ready_tiles > config.limits.steal_keep) peer.inviting = true;
  peer.ready = envelope.ready_tiles;
  peer.running = envelope.running_tiles;
  peer.picoseconds_per_mac = envelope.picoseconds_per_mac;
  close_below(envelope.from, envelope.life, envelope.closed_below);
}

// A peer can begin session after session as fast as messages come; logs must not fill with them.
void Node::State::report_session(Report::Kind kind, NodeId id, std::string sentence) {
  constexpr Duration within = std::chrono::seconds(10);
  constexpr uint32_t at_most = 20;
  Peer& peer = peers.at(id);
  if (peer.told_of == 0 || now - peer.told_of_since >= within) {
    peer.told_of_since = now;
    peer.told_of = 0;
  }
  if (peer.told_of >= at_most) return;
  if (++peer.told_of == at_most)
    sentence = (sentence.empty() ? name_of(id) + " joined" : sentence) +
               "; more of its sessions within these 10 s is not told";
  report(kind, {}, id, std::move(sentence));
}

void Node::State::lose(NodeId id, const std::string& why) {
  Peer& peer = peers.at(id);
  const std::string sentence = name_of(id) + " was lost: " + why;
  peer.joined = peer.greeted = false;
  peer.link.begin(0, config.limits.link_bytes_per_second);
  unsay(id);
  report_session(Report::Kind::peer_lost, id, sentence);
  if (asked_to_steal == id) asked_to_steal.reset();
  withdraw_readiness(id);
  home_lost_owner(id);
  victim_lost_thief(id);
  home_lost_auditor(id);
  forget_borrowed(id, std::nullopt);
  owner_lost_home(id, sentence);
}

// What was said earlier in this step belongs to the session that has just ended: its envelope could
// only tell of the next one.
void Node::State::unsay(NodeId to) {
  const auto begin = out->begin() + static_cast<std::ptrdiff_t>(first_action);
  const auto is_to_it = [&](const Action& action) {
    const auto* message = std::get_if<Send>(&action);
    return message != nullptr && message->to == to;
  };
  out->erase(std::remove_if(begin, out->end(), is_to_it), out->end());
}

void Node::State::send(NodeId to, Message message) {
  if (to == config.id) return local_messages.push_back(std::move(message));
  Peer& peer = peers.at(to);
  if (!peer.joined) return;
  peer.telling = true;
  act(Send{.to = to, .envelope = {}, .message = std::move(message), .source = {}, .region = {}});
}

void Node::State::transfer(NodeId to, Outgoing outgoing) {
  if (to == config.id) return local_pieces.enqueue(std::move(outgoing), transfers++);
  Peer& peer = peers.at(to);
  if (peer.joined) peer.link.enqueue(std::move(outgoing), transfers++);
}

// The most urgent piece of all links goes first, and only so much is under way at once: what has
// left for one peer is in the way of a more urgent piece for another, on this node's own port. A
// peer that takes nothing in keeps at most half of the port.
void Node::State::pump() {
  int64_t fastest = 0;
  for (const auto& [id, peer] : peers)
    if (peer.joined) fastest = std::max(fastest, peer.link.bytes_per_second());
  const int64_t port = port_credit_bytes(fastest);
  while (true) {
    int64_t in_flight = 0;
    std::pair<const NodeId, Peer>* first = nullptr;
    for (auto& entry : peers) {
      const Link& link = entry.second.link;
      if (!entry.second.joined) continue;
      in_flight += std::min(link.in_flight_bytes(), port / 2);
      const bool may = link.may_send() && link.in_flight_bytes() < port;
      if (may && (first == nullptr || link.goes_before(first->second.link))) first = &entry;
    }
    if (first == nullptr || in_flight >= port) return;
    send_piece(first->first, first->second);
  }
}

void Node::State::send_piece(NodeId id, Peer& peer) {
  const Outgoing next = *peer.link.take(now);
  peer.telling = true;
  counters.payload_bytes_sent += static_cast<uint64_t>(next.bytes);
  act(Send{.to = id,
           .envelope = {},
           .message = next.piece,
           .source = next.source,
           .region = next.region});
  sent(next);
}

// The bytes were copied away: a strip that left is one reader less of its canvas.
void Node::State::sent(const Outgoing& outgoing) {
  const Piece& piece = outgoing.piece;
  if (outgoing.source.place == Place::lent) return output_sent({piece.key, piece.tile});
  if (piece.role == Piece::Role::lent_input) --loans.at({piece.key, piece.tile}).unsent;
  const bool counted =
      piece.role == Piece::Role::promised || piece.role == Piece::Role::audit_input;
  if (outgoing.source.place != Place::home || !counted) return;
  if (HomeFrame* frame = home_frame(piece.key)) use_done(piece.key, *frame, outgoing.source.tensor);
}

void Node::State::drop_pieces(const FrameKey& key, Place source) {
  const auto belongs = [&](const Outgoing& outgoing) {
    return outgoing.piece.key == key && outgoing.source.place == source;
  };
  local_pieces.drop_if(belongs);
  for (auto& [id, peer] : peers) peer.link.drop_if(belongs);
}

void Node::State::on(const Woken&) {
  alarm.reset();
  lose_the_silent();
  if (!next_beat || now < *next_beat) return;
  watch();
  look_at_weights();
  beat();
  next_beat = now + config.limits.beat_every;
}

// The longest gap fades: what a wire or a machine was like a minute ago says nothing of it now.
void Node::State::note_gap(Peer& peer) {
  constexpr Duration fades_in = std::chrono::seconds(10);
  const Duration gap = std::min({now - peer.heard, config.limits.most_silence_allowed, fades_in});
  const double left =
      1.0 - static_cast<double>(gap.count()) / static_cast<double>(fades_in.count());
  const auto faded = static_cast<int64_t>(left * static_cast<double>(peer.longest_gap.count()));
  peer.longest_gap = std::max(gap, Duration(faded));
}

Duration Node::State::silence_allowed(const Peer& peer) const {
  const Duration least = config.limits.silence_allowed;
  return std::clamp(2 * peer.longest_gap, least,
                    std::max(least, config.limits.most_silence_allowed));
}

// Lost a little too soon, and not for a hang that was noticed as it should be.
bool Node::State::has_only_stuttered(const Peer& peer) const {
  return now - peer.heard < 2 * silence_allowed(peer);
}

// Before every event. Nothing can be heard while this node itself sleeps: what was said meanwhile
// lies in front of it, behind an alarm that is late by as much.
void Node::State::forgive_own_pause() {
  const Duration late = alarm ? now - *alarm : Duration::zero();
  if (late < config.limits.beat_every / 2) return;
  alarm = now;
  for (auto& [id, peer] : peers) peer.heard = std::min(now, peer.heard + late);
}

void Node::State::lose_the_silent() {
  for (auto& [id, peer] : peers) {
    const Duration silence = now - peer.heard;
    if (!peer.joined || silence < silence_allowed(peer)) continue;
    peer.silenced = true;
    lose(id, "nothing was heard of it for " +
                 std::to_string(silence / std::chrono::milliseconds(1)) + " ms");
    begin_session(id, peer);  // if it lost us too, nobody else would speak on this connection
  }
}

void Node::State::beat() {
  for (auto& [id, peer] : peers)
    if (now - peer.told_at >= config.limits.beat_every / 2) send(id, Beat{});
  give_up_waiting_for_homes();
}

// Time matters to a node that has peers or weights to watch or frames that wait, and to a thief in
// waiting.
void Node::State::keep_time() {
  std::optional<Time> silence_ends;
  for (const auto& [id, peer] : peers) {
    if (!peer.joined) continue;
    const Time end = peer.heard + silence_allowed(peer);
    silence_ends = std::min(silence_ends.value_or(end), end);
  }
  if (!next_beat && (silence_ends || !owned.empty() || !plans.empty()))
    next_beat = now + config.limits.beat_every;
  std::optional<Time> next = next_beat;
  if (silence_ends && next) next = std::min(*next, std::max(*silence_ends, now));
  if (config.limits.steals && idle_since && !asked_to_steal && longest_queue()) {
    const Time asking = *idle_since + thief_patience();
    if (asking > now) next = next ? std::min(*next, asking) : asking;
  }
  if (!next || alarm == next) return;
  alarm = next;
  act(WakeAt{*next});
}

bool Node::State::is_partner(const Peer& peer) const {
  return peer.joined && peer.hello.compute_slots > 0 &&
         peer.hello.arithmetic_class == config.arithmetic_class;
}

// Told once when tiles pile up, and again only after the pile was gone.
void Node::State::advertise() {
  if (ready.empty()) surplus_told = false;
  if (!config.limits.steals || surplus_told || ready.size() <= config.limits.steal_keep) return;
  surplus_told = true;
  for (auto& [id, peer] : peers)
    if (is_partner(peer) && !peer.telling) send(id, Beat{});
}

// A sender's port must not starve because we have nothing to say: what all its peers have not yet
// acknowledged counts against it.
void Node::State::acknowledge() {
  for (auto& [id, peer] : peers)
    if (peer.joined && !peer.telling && peer.taken_in_bytes > peer.told_bytes) send(id, Beat{});
}

Envelope Node::State::envelope_to(const Peer& peer) const {
  return {.from = config.id,
          .life = config.life,
          .ready_tiles = static_cast<uint32_t>(ready.size()),
          .running_tiles = running,
          .closed_below = closed_below(),
          .pasted_bytes = peer.taken_in_bytes,
          .picoseconds_per_mac = picoseconds_per_mac};
}

}  // namespace shingle
