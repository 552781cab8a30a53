#include "runtime/node/owner/heirs.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

std::string not_proposed(const PlanHash& plan) {
  return "plan " + short_name(plan) + " was not proposed here";
}

Heirs::Heirs(const NodeConfig& config, const Peers& peers, const Health& health, const Plans& plans,
             const Offers& offers, const Effects& effects)
    : config_(config),
      peers_(peers),
      health_(health),
      plans_(plans),
      offers_(offers),
      effects_(effects) {}

std::optional<std::vector<Inheritance>> Heirs::losses(const PlanHash& wanted, Trust trust) const {
  const KnownPlan* known = plans_.known(wanted);
  assert(known != nullptr);
  const KnownPlan& plan = *known;
  const Offer& offer = offers_.at(wanted);
  std::vector<NodeId> chosen = within_reach({}, able(plan.homes, offer, trust));
  const auto heirs_of = [&](NodeId lost) {
    std::vector<NodeId> heirs;
    for (const NodeId node : chosen)
      if (may_replace(node, lost) && !declines(offer, node, trust)) heirs.push_back(node);
    return heirs;
  };
  const bool complete = std::all_of(plan.homes.begin(), plan.homes.end(), [&](NodeId home) {
    return std::find(chosen.begin(), chosen.end(), home) != chosen.end() || !heirs_of(home).empty();
  });
  if (!complete) chosen = within_reach(std::move(chosen), able(config_.members, offer, trust));
  std::vector<Inheritance> all;
  for (const NodeId home : plan.homes) {
    if (std::find(chosen.begin(), chosen.end(), home) != chosen.end()) continue;
    all.push_back({home, heirs_of(home)});
    if (all.back().heirs.empty()) return {};
  }
  return all;
}

std::vector<NodeId> Heirs::able(const std::vector<NodeId>& nodes, const Offer& offer,
                                Trust trust) const {
  std::vector<NodeId> found;
  for (const NodeId node : nodes)
    if (is_able(node, offer, trust)) found.push_back(node);
  return found;
}

bool Heirs::is_able(NodeId node, const Offer& offer, Trust trust) const {
  using Kind = Answer::Kind;
  const Answer* answer = find_in(offer.answers, node);
  const Kind kind = answer == nullptr ? Kind::none : answer->kind;
  const bool self = node == config_.id;
  const Peer* peer = peers_.find(node);
  const bool there = self ? config_.limits.compute_slots > 0 && health_.is_sound()
                          : peer != nullptr && peer->joined && peer->hello.compute_slots > 0;
  const bool may_answer =
      trust == Trust::hopeful && peer != nullptr && offers_.is_for(*peer, node, offer);
  const bool holds = kind == Kind::ready || kind == Kind::unreachable ||
                     (kind == Kind::none && (self || may_answer));
  return there && holds && !offers_.distrusts(node);
}

// Adds each candidate that reaches all nodes chosen before it. Candidates that fewer peers have
// lost come first.
std::vector<NodeId> Heirs::within_reach(std::vector<NodeId> chosen,
                                        std::vector<NodeId> candidates) const {
  const auto says_lost = [&](NodeId a, NodeId b) {
    const Peer* peer = peers_.find(a);
    return peer != nullptr && peer->unreachable.contains(b);
  };
  const auto accusers = [&](NodeId node) {
    return std::count_if(peers_.begin(), peers_.end(), [&](const auto& entry) {
      return entry.second.joined && entry.second.unreachable.contains(node);
    });
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](NodeId a, NodeId b) { return accusers(a) < accusers(b); });
  for (const NodeId node : candidates) {
    const bool fits = std::none_of(chosen.begin(), chosen.end(), [&](NodeId other) {
      return other == node || says_lost(other, node) || says_lost(node, other);
    });
    if (fits) chosen.push_back(node);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

bool Heirs::may_replace(NodeId heir, NodeId lost) const {
  const auto class_of = [&](NodeId node) -> const std::string* {
    if (node == config_.id) return &config_.arithmetic_class;
    const Peer* peer = peers_.find(node);
    const bool heard = peer != nullptr && peer->its_session != 0;
    return heard ? &peer->hello.arithmetic_class : nullptr;
  };
  const std::string *ours = class_of(heir), *theirs = class_of(lost);
  assert(ours != nullptr);
  return theirs == nullptr || *ours == *theirs;
}

// The node refused tiles of lost homes, for want of room. It will be asked again after `unfit_for`,
// so from then on it may be hoped for.
bool Heirs::declines(const Offer& wanted, NodeId node, Trust trust) const {
  const Answer* said = find_in(wanted.declined, node);
  if (said == nullptr) return false;
  return trust == Trust::certain || effects_.now() - said->since < config_.limits.unfit_for;
}

// A node that was just lost may be starting anew, and could then do somebody's tiles.
bool Heirs::may_return(const KnownPlan& plan, NodeId node, const Answer& answer) const {
  return answer.kind == Answer::Kind::lost && !offers_.distrusts(node) &&
         effects_.now() - answer.since < config_.limits.return_awaited &&
         std::any_of(plan.homes.begin(), plan.homes.end(),
                     [&](NodeId home) { return may_replace(node, home); });
}

// Why no stand-in can help, now or in a moment; empty: one can.
std::string Heirs::no_heir(const PlanHash& wanted) const {
  const KnownPlan* plan = plans_.known(wanted);
  assert(plan != nullptr);
  const Offer& own = offers_.at(wanted);
  if (std::any_of(own.answers.begin(), own.answers.end(),
                  [&](const auto& entry) { return may_return(*plan, entry.first, entry.second); }))
    return {};
  std::string refused;
  for (const Trust trust : {Trust::certain, Trust::hopeful}) {
    const auto lost = losses(wanted, trust);
    if (!lost) continue;
    const auto* offered = offers_.offered_as({wanted, *lost});
    if (offered == nullptr || offered->second.refused.empty() || offered->second.full) return {};
    refused = offered->second.refused;
  }
  if (!refused.empty()) return refused;
  for (const auto* all : {&own.answers, &own.declined})
    for (const auto& [node, answer] : *all)
      if (answer.kind == Answer::Kind::hung || answer.kind == Answer::Kind::full)
        return {};  // it may come back, or have room
  return whys(wanted);
}

// The sentences of homes that are out of action, and of nodes that refused their tiles.
std::string Heirs::whys(const PlanHash& wanted) const {
  const KnownPlan& plan = *plans_.known(wanted);
  const Offer& own = offers_.at(wanted);
  std::string all;
  for (const auto& [node, answer] : own.answers)
    if (plan.is_home(node) && out_of_action(answer) && !answer.why.empty())
      all += (all.empty() ? "" : "; ") + answer.why;
  for (const auto& [node, answer] : own.declined) all += (all.empty() ? "" : "; ") + answer.why;
  if (!all.empty()) return all;
  return "no node is left that could do the work of plan " + short_name(wanted);
}

std::string Heirs::obstacle(const PlanHash& hash) const {
  const Offer* offer = offers_.find(hash);
  if (offer == nullptr) return not_proposed(hash);
  if (!offer->refused.empty()) return offer->refused;
  const KnownPlan* plan = plans_.known(hash);
  if (plan == nullptr) return {};
  for (const auto& [node, answer] : offer->answers)
    if (plan->is_home(node) && !answer.why.empty() && !out_of_action(answer)) return answer.why;
  const bool all_were_asked = !offers_.may_ask_more(*offer);
  return offers_.is_degraded(hash) && all_were_asked ? no_heir(hash) : "";
}

bool Heirs::needs_more(const PlanHash& hash) const {
  const Offer& offer = offers_.at(hash);
  const bool is_stand_in = !offer.proposed && !offer.roles.empty();  // others can be derived
  if (is_stand_in || !offer.refused.empty() || !offers_.may_ask_more(offer) ||
      !offers_.is_degraded(hash))
    return false;
  return !losses(hash, Trust::hopeful) || !no_heir(hash).empty();
}

}  // namespace shingle
