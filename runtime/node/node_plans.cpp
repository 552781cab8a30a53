// Which plans this node holds: those that were proposed here, their stand-ins, and those of others.
//
//   proposed here   at most two thirds of the table; each stays until the application withdraws it
//                   and no frame is under way on it
//   stand-ins       make way for other stand-ins, the one that was used longest ago first; for
//                   others' plans when none of this owner's frames has needed them for a while
//   others' plans   make way for any; their owners hear of it, and may offer them again
#include <algorithm>
#include <cassert>

#include "runtime/node/node_state.hpp"

namespace shingle {

void Node::State::on(const PlanProposed& event) {
  const Offer* earlier = owner.offers.find(event.plan);
  const bool further = earlier == nullptr || !earlier->proposed;
  const size_t most = most_proposals(config.limits);
  if (further && owner.offers.proposals() >= most) {
    effects.report(Report::Kind::plan_refused, {}, config.id,
                   "plan " + short_name(event.plan) + " was refused: this node offers " +
                       std::to_string(most) + " plans, as many as it may; withdraw one of them",
                   event.plan);
    return;
  }
  owner.offers.propose(event);
  propose(event.plan);
}

void Node::State::on(const PlanWithdrawn& event) {
  if (!owner.offers.contains(event.plan)) return;
  owner.offers.withdraw(event.plan);
  drop_withdrawn();
}

void Node::State::propose(const PlanHash& plan) {
  owner.offers.begin_anew(owner.offers.at(plan));
  const bool held = hold(plan);
  owner.proposals.propose(plan, held);
}

void Node::State::propose_stand_ins() {
  while (auto due = owner.stand_ins.take_due()) {
    const PlanHash plan = due->proposal.plan;
    if (owner.offers.add_stand_in(std::move(*due))) propose(plan);
  }
}

void Node::State::on_plan_offer(NodeId from, const PlanOffer& offer) {
  if (offer.text.empty() && !plans.contains(offer.plan))
    return effects.send(from, not_now(offer.plan, "it gave the plan up for another"));
  if (weights.damaged() && plans.known(offer.plan) == nullptr)  // no executor could pack it
    return effects.send(from, weights.refusal(offer.plan));
  if (!hold(offer.plan))
    return effects.send(from, not_now(offer.plan, "it holds as many plans in use as it may"));
  plans.offered(from, offer);
}

void Node::State::on(const PlanLoaded& event) {
  if (!plans.awaits(event.hash)) return;
  if (!event.plan) return loading_failed(event);
  const bool was_overdue = plans.take_loaded(event.hash, *event.plan);
  for (auto& [id, peer] : peers) {  // what was refused for lack of this plan may be lent now
    peer.inviting = true;
    peers.note_surplus(id);
  }
  plans.refuse_askers(event.hash);
  plans.answer_askers();
  if (owner.offers.contains(event.hash)) owner.proposals.loaded(event.hash, was_overdue);
}

// Loading may fail for want of room, which may pass. Otherwise the text is wrong, and only the
// offers of the nodes that gave it fail.
void Node::State::loading_failed(const PlanLoaded& event) {
  const std::string& why = event.plan.error();
  Answer::Kind kind = Answer::Kind::full;
  bool is_own = true;
  if (event.again) {
    plans.loading_failed(event.hash, why);
  } else {
    const std::vector<NodeId> givers = plans.text_failed(event.hash, why);
    kind = Answer::Kind::unfit;
    is_own = std::find(givers.begin(), givers.end(), config.id) != givers.end();
  }
  if (is_own && owner.offers.contains(event.hash))
    owner.proposals.cannot_load(event.hash, kind, why);
}

// A disk may not answer, or an accelerator may be gone. Tiles of plans that are packed already are
// still computed.
void Node::State::give_up_on_packing() {
  while (const std::optional<PlanHash> plan = plans.next_overdue()) {
    if (owner.offers.contains(*plan))
      owner.proposals.refuse(*plan, plans.packing_hangs());
    else
      effects.report(
          Report::Kind::plan_refused, {}, config.id,
          "plan " + short_name(*plan) + " cannot be served as yet: " + plans.packing_hangs(),
          *plan);
  }
}

// A plan is needed while frames use it; a stand-in is needed while a plan that it stands for is
// offered.
void Node::State::drop_withdrawn() {
  const auto is_unneeded = [&](const auto& entry) {
    const auto& [hash, offer] = entry;
    return !offer.proposed && offer.roles.empty() && !owner.frames.has_frames(hash);
  };
  Offers& offers = owner.offers;
  for (auto each = std::find_if(offers.begin(), offers.end(), is_unneeded); each != offers.end();
       each = std::find_if(offers.begin(), offers.end(), is_unneeded)) {
    const PlanHash plan = each->first;
    offers.forget(plan);
    if (!in_use(plan)) plans.drop_unless_awaited(plan);
  }
}

bool Node::State::hold(const PlanHash& plan) {
  const bool for_own = owner.offers.contains(plan);
  const Duration rest = for_own ? Duration::zero() : config.limits.unfit_for;
  const Plans::Room room = plans.hold(plan, [&](const PlanHash& other, Time used_at) {
    if (in_use(other)) return false;
    const Offer* offer = owner.offers.find(other);
    return offer == nullptr || (!offer->proposed && effects.now() - used_at > rest);
  });
  if (room.given_up) owner.offers.forget(*room.given_up);
  return room.found;
}

bool Node::State::in_use(const PlanHash& plan) const {
  return home.frames.uses(plan) || owner.frames.has_frames(plan) || borrowing.uses(plan);
}

}  // namespace shingle
