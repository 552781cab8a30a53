// Peers that come and go, and time that passes.
#include <cassert>

#include "runtime/node/node_state.hpp"

namespace shingle {

void Node::State::on(const PeerSeen& event) {
  if (peers.is_away(event.peer)) sessions.begin(event.peer);
}

void Node::State::on(const PeerLost& event) {
  Peer* peer = peers.find(event.peer);
  if (peer == nullptr) return;
  peer->greeted = false;
  if (peer->joined) lose(event.peer, event.why);
}

void Node::State::on_hello(NodeId from, const Hello& hello) {
  if (sessions.is_current(from, hello)) return;
  if (peers.is_joined(from)) lose(from, "it began anew");
  if (!sessions.greeted_by(from, hello)) return;
  beats.joined();
  owner.offers.offer_all_to(from);
  plans.answer_askers();
}

void Node::State::lose(NodeId id, const std::string& why) {
  const std::string sentence = peers.name_of(id) + " was lost: " + why;
  sessions.end(id, sentence);
  plans.lost(id);
  home.frames.lost_owner(id);
  home.lending.lost_thief(id);
  home.frames.lost_auditor(id);
  borrowing.lost(id);
  owner.frames.lost_home(id, sentence);
}

void Node::State::lose_the_silent() {
  for (auto& [id, peer] : peers) {
    const Duration silence = effects.now() - peer.heard;
    if (!peer.joined || silence < sessions.silence_allowed(peer)) continue;
    peer.silenced = true;
    lose(id, "nothing was heard of it for " +
                 std::to_string(silence / std::chrono::milliseconds(1)) + " ms");
    sessions.begin(id);  // if it lost us too, nobody else would speak on this connection
  }
}

void Node::State::on(const Woken&) {
  beats.woken();
  lose_the_silent();
  if (!beats.is_due()) return;
  health.pass(beats.since_last());
  watch_tiles();
  give_up_on_packing();
  weights.look();
  beat();
  beats.schedule_next();
}

void Node::State::beat() {
  beats.beat();
  owner.proposals.give_up_waiting_for_homes();
  owner.frames.give_up_waiting();
  owner.proposals.ask_again();
  owner.frames.leave_the_hung();
  owner.frames.abort_hopeless();
  drop_withdrawn();
  owner.frames.open_next();
}

}  // namespace shingle
