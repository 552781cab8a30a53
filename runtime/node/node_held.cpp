// Which plans this node holds: those that were proposed here, their stand-ins, and those of others.
//
//   proposed here   at most two thirds of the table; each stays until the application withdraws it
//                   and no frame is under way on it
//   stand-ins       make way for other stand-ins, the one that was used longest ago first; for
//                   others' plans when none of this owner's frames has needed them for a while
//   others' plans   make way for any; their owners hear of it, and may offer them again
#include <algorithm>

#include "runtime/node/node_state.hpp"

namespace shingle {

void Node::State::on(const PlanProposed& event) {
  const Offer* known_offer = find_in(offers, event.plan);
  const bool further = known_offer == nullptr || !known_offer->proposed;
  if (further && proposals() >= most_proposals())
    return report(Report::Kind::plan_refused, {}, config.id,
                  "plan " + short_name(event.plan) + " was refused: this node offers " +
                      std::to_string(most_proposals()) +
                      " plans, as many as it may; withdraw one of them",
                  event.plan);
  Offer& offer = offer_entry(event.plan);
  offer.proposed = true;
  offer.model = event.model;
  offer.text = event.text;
  propose(event.plan, offer);
}

// What is left is for stand-ins and for other owners' plans.
size_t Node::State::most_proposals() const {
  return config.limits.plans - std::max<size_t>(1, config.limits.plans / 3);
}

size_t Node::State::proposals() const {
  return static_cast<size_t>(std::count_if(offers.begin(), offers.end(), [&](const auto& entry) {
    return entry.second.proposed && plans.contains(entry.first);
  }));
}

// Offers without a plan have failed, and were kept for their sentences alone.
Offer& Node::State::offer_entry(const PlanHash& hash) {
  if (offers.size() >= config.limits.plans && !offers.contains(hash))
    std::erase_if(offers, [&](const auto& entry) { return !plans.contains(entry.first); });
  return offers[hash];
}

void Node::State::on(const PlanWithdrawn& event) {
  Offer* offer = find_in(offers, event.plan);
  if (offer == nullptr) return;
  offer->proposed = false;
  drop_withdrawn();
}

// Frames keep their plan; a plan that is wanted keeps its stand-ins.
bool Node::State::is_needed(const PlanHash& hash, const Offer& offer) const {
  return offer.proposed || !offer.roles.empty() || has_frames(hash);
}

void Node::State::drop_withdrawn() {
  const auto unneeded = [&](const auto& entry) { return !is_needed(entry.first, entry.second); };
  for (auto offer = std::find_if(offers.begin(), offers.end(), unneeded); offer != offers.end();
       offer = std::find_if(offers.begin(), offers.end(), unneeded))
    drop_offer(PlanHash(offer->first));
}

void Node::State::drop_offer(const PlanHash& hash) {
  forget_offer(hash);
  const PlanEntry* held = find_in(plans, hash);
  if (held == nullptr || !held->texts.empty() || in_use(hash)) return;
  if (held->askers.empty() && held->told.empty()) plans.erase(hash);
}

void Node::State::forget_offer(const PlanHash& hash) {
  offers.erase(hash);
  for (auto& [other, offer] : offers)
    std::erase_if(offer.roles, [&](const Role& role) { return role.wanted == hash; });
}

bool Node::State::may_make_way(const PlanHash& hash, const PlanEntry& entry, bool for_own) const {
  if (!entry.texts.empty() || in_use(hash)) return false;
  const Offer* offer = find_in(offers, hash);
  if (offer == nullptr) return true;
  const Duration unused = now - entry.used_at;
  return !offer->proposed && unused > (for_own ? Duration::zero() : config.limits.unfit_for);
}

// Makes room by forgetting the plan that was used longest ago, of those that may make way.
PlanEntry* Node::State::plan_entry(const PlanHash& hash) {
  auto place = plans.find(hash);
  if (place == plans.end() && plans.size() >= config.limits.plans) {
    auto oldest = plans.end();
    for (auto plan = plans.begin(); plan != plans.end(); ++plan)
      if (may_make_way(plan->first, plan->second, offers.contains(hash)) &&
          (oldest == plans.end() || plan->second.used_at < oldest->second.used_at))
        oldest = plan;
    if (oldest == plans.end()) return nullptr;
    for (const std::vector<NodeId>* owners : {&oldest->second.askers, &oldest->second.told})
      for (const NodeId owner : *owners)
        send(owner, PlanReady{.plan = oldest->first,
                              .why_not = "it gave the plan up for another",
                              .lost = {},
                              .again = true});
    forget_offer(oldest->first);
    plans.erase(oldest);
  }
  if (place == plans.end()) place = plans.try_emplace(hash).first;
  place->second.used_at = now;
  return &place->second;
}

bool Node::State::has_frames(const PlanHash& hash) const {
  return std::any_of(owned.begin(), owned.end(), [&](const auto& entry) {
    return entry.second.hash == hash || entry.second.wanted == hash;
  });
}

bool Node::State::in_use(const PlanHash& hash) const {
  const auto uses = [&](const KnownPlan* plan) { return plan != nullptr && plan->hash() == hash; };
  for (const auto& [key, frame] : homes)
    if (uses(frame.plan)) return true;
  if (has_frames(hash)) return true;
  for (const auto& [key, tile] : borrowed)
    if (uses(tile.plan)) return true;
  return std::any_of(slot_requests.begin(), slot_requests.end(),
                     [&](const SlotRequest& request) { return request.plan == hash; });
}

KnownPlan* Node::State::known(const PlanHash& hash) {
  PlanEntry* entry = find_in(plans, hash);
  return entry == nullptr || !entry->known ? nullptr : &*entry->known;
}

const KnownPlan* Node::State::known(const PlanHash& hash) const {
  return const_cast<State*>(this)->known(hash);
}

}  // namespace shingle
