// Events of this node's executor: tiles that it computes, tiles at which it hangs, damaged weights.
// What follows is told to other owners and to this node's own owner part.
#include <cassert>

#include "runtime/node/node_state.hpp"

namespace shingle {

void Node::State::on(const FrameCaptured& event) { owner.frames.capture(event); }

void Node::State::on(const TileBegun& event) {
  if (health.begun(event)) ready_again();
}

void Node::State::on(const TileComputed& event) {
  const Health::Ended ended = health.end(event);
  if (ended.hung) ready_again();
  if (ended.sound) return take_computed(event);
  TileComputed wrong = event;
  wrong.status = Error{"its weights had changed in memory"};
  take_computed(wrong);
}

void Node::State::take_computed(const TileComputed& event) {
  if (event.place == Place::home)
    home.frames.computed(event, speed);
  else
    borrowing.computed(event, speed);
}

// --- hangs ---

void Node::State::watch_tiles() {
  const bool hung_before = health.hangs();
  while (const Underway* tile = health.next_suspect()) suspect(*tile, hung_before);
}

void Node::State::suspect(const Underway& tile, bool hung_before) {
  assert(tile.hangs);
  const std::string why = health.why_it_hangs(tile);
  if (tile.place == Place::lent) borrowing.give_up_hanging(tile.key, why);
  // Already reported unfit, so no timeout applies.
  if (hung_before || weights.damaged()) return;
  borrowing.give_back_what_waits(why);
  plans.withdraw(health.hang_refusal({}));
  owner.proposals.suspend_self(Answer::Kind::hung, health.own_answer().why);
}

// Does nothing while another tile hangs or the weights are damaged.
void Node::State::ready_again() {
  if (!health.works()) return;
  owner.proposals.ready_again();
  plans.answer_askers();
  plans.tell_of_homes_away();
  owner.proposals.check_all();
  owner.frames.open_next();
}

// --- weights ---

// What this node computed since the last check may be wrong, so frames under way are begun again
// without it.
void Node::State::on(const WeightsDamaged& event) {
  if (!weights.damaged_by(event.why)) return;
  health.taint();
  borrowing.give_all_back(weights.damage());
  if (health.hangs()) plans.refuse_askers_of_loaded();  // they wait for it to come back
  plans.withdraw(weights.refusal({}));
  owner.proposals.suspend_self(weights.answer_kind(), weights.damage());
  weights.repair();
}

void Node::State::on(const PackedAgain& event) {
  switch (weights.packed(event)) {
    case Weights::Packed::not_asked:
      return;
    case Weights::Packed::sound:
      return ready_again();
    case Weights::Packed::still_damaged:
      plans.refuse_all_askers();
      return owner.proposals.suspend_self(weights.answer_kind(), weights.damage());
  }
}

}  // namespace shingle
