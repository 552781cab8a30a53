#include "runtime/node/sessions.hpp"

#include <algorithm>
#include <utility>

namespace shingle {

Sessions::Sessions(const NodeConfig& config, Peers& peers, Effects& effects)
    : config_(config), peers_(peers), effects_(effects) {}

void Sessions::begin(NodeId id) {
  Peer& peer = peers_.at(id);
  assert(!peer.joined);
  ++peer.session;
  peer.greeted = true;
  peer.taken_in_bytes = peer.told_bytes = 0;
  say_hello(id, peer);
}

void Sessions::say_hello(NodeId id, Peer& peer) {
  peer.answered = peer.its_session;
  effects_.greet(id, {.life = config_.life,
                      .session = peer.session,
                      .answers = peer.its_session,
                      .credit_bytes = config_.limits.link_credit_bytes,
                      .name = config_.name,
                      .arithmetic_class = config_.arithmetic_class,
                      .compute_slots = config_.limits.compute_slots});
}

bool Sessions::is_current(NodeId from, const Hello& hello) const {
  const Peer& peer = peers_.at(from);
  return peer.joined && hello.session == peer.its_session && hello.life == peer.hello.life;
}

bool Sessions::greeted_by(NodeId from, const Hello& hello) {
  Peer& peer = peers_.at(from);
  assert(!peer.joined);
  const bool same_life = hello.life == peer.hello.life;
  if (std::exchange(peer.silenced, false) && same_life && has_only_stuttered(peer)) note_gap(peer);
  peer.its_session = hello.session;
  peer.hello = hello;
  peer.heard = effects_.now();
  if (!peer.greeted)
    begin(from);
  else if (peer.answered != hello.session)
    say_hello(from, peer);
  if (hello.answers != peer.session) return false;
  join(from, peer);
  return true;
}

void Sessions::join(NodeId id, Peer& peer) {
  peer.joined = true;
  peers_.note_joined(true);
  peer.ready = peer.running = 0;
  peers_.note_surplus(id);
  peer.unreachable.clear();
  peer.told_at = effects_.now();
  peer.link.begin(std::min(config_.limits.link_credit_bytes, peer.hello.credit_bytes),
                  config_.limits.link_bytes_per_second);
  peers_.note_rates();
  report(Report::Kind::peer_joined, id);
}

void Sessions::hear(const MessageReceived& event) {
  const Envelope& envelope = event.envelope;
  Peer& peer = peers_.at(envelope.from);
  NodeCounters& counters = effects_.counters();
  assert(peer.joined);
  note_gap(peer);
  peer.heard = effects_.now();
  peer.taken_in_bytes += static_cast<uint64_t>(event.payload_bytes);
  counters.payload_bytes_received += static_cast<uint64_t>(event.payload_bytes);
  const int64_t rate = peer.link.bytes_per_second();
  if (!peer.link.acknowledge(envelope.pasted_bytes, effects_.now())) ++counters.messages_refused;
  if (peer.link.bytes_per_second() != rate) peers_.note_rates();
  if (event.payload_bytes > 0) peers_.unthanked.insert(envelope.from);
  const bool tells_of_surplus =
      envelope.ready_tiles > peer.ready || std::holds_alternative<Beat>(event.message);
  if (tells_of_surplus && envelope.ready_tiles > config_.limits.steal_keep) peer.inviting = true;
  peer.ready = envelope.ready_tiles;
  peers_.note_surplus(envelope.from);
  peer.running = envelope.running_tiles;
  peer.picoseconds_per_mac = envelope.picoseconds_per_mac;
}

void Sessions::end(NodeId id, const std::string& sentence) {
  Peer& peer = peers_.at(id);
  assert(peer.joined);
  peer.joined = peer.greeted = false;
  peers_.note_joined(false);
  peers_.note_surplus(id);
  peer.link.begin(0, config_.limits.link_bytes_per_second);
  peers_.note_rates();
  effects_.unsay(id);
  report(Report::Kind::peer_lost, id, sentence);
}

// A peer can begin session after session as fast as messages come; logs must not fill with them.
void Sessions::report(Report::Kind kind, NodeId id, std::string sentence) {
  constexpr Duration within = std::chrono::seconds(10);
  constexpr uint32_t at_most = 20;
  Peer& peer = peers_.at(id);
  if (peer.reported == 0 || effects_.now() - peer.reported_since >= within) {
    peer.reported_since = effects_.now();
    peer.reported = 0;
  }
  if (peer.reported >= at_most) return;
  if (++peer.reported == at_most)
    sentence = (sentence.empty() ? peers_.name_of(id) + " joined" : sentence) +
               "; more of its sessions within these 10 s is not told";
  effects_.report(kind, {}, id, std::move(sentence));
}

// The longest gap fades, because a wire or a machine changes within a minute.
void Sessions::note_gap(Peer& peer) {
  constexpr Duration fades_in = std::chrono::seconds(10);
  const Duration gap =
      std::min({effects_.now() - peer.heard, config_.limits.most_silence_allowed, fades_in});
  const double left =
      1.0 - static_cast<double>(gap.count()) / static_cast<double>(fades_in.count());
  const auto faded = static_cast<int64_t>(left * static_cast<double>(peer.longest_gap.count()));
  peer.longest_gap = std::max(gap, Duration(faded));
}

Duration Sessions::silence_allowed(const Peer& peer) const {
  const Duration least = config_.limits.silence_allowed;
  return std::clamp(2 * peer.longest_gap, least,
                    std::max(least, config_.limits.most_silence_allowed));
}

// The peer was lost a little too soon. A peer that was silent for much longer did hang, and its
// silence must not make the next hang look usual.
bool Sessions::has_only_stuttered(const Peer& peer) const {
  return effects_.now() - peer.heard < 2 * silence_allowed(peer);
}

}  // namespace shingle
