// The owner's part when homes are lost: a frame survives any node but its owner.
//
// A frame that loses a home is closed everywhere and begun again as the next attempt, from the
// picture that its owner still has, on a *stand-in*: the same tiles, but those of the lost homes
// given to the others. Tiles are pure, so the outcome is the same, bit for bit; what the earlier
// attempt may still bring carries its number and concerns a closed frame. A stand-in is a plan as
// any other: offered, loaded, ready before a frame opens on it. Once the wanted plan is ready
// again, the next frame opens on it.
//
//   who may inherit    homes of the plan that hold it and reach each other; where none is left,
//                      other nodes that hold it, this one included; of the lost home's class
//   hopefully          those that were offered the plan and have not answered count too; the
//                      stand-in without them is offered beside, and the first that is ready is used
//   bounds             attempts at a frame; a node that failed is asked again after `unfit_for`
#include <algorithm>

#include "runtime/node_state.hpp"

namespace shingle {

using Stage = OwnedFrame::Stage;

namespace {

bool out_of_action(const Answer& answer) {
  using Kind = Answer::Kind;
  const bool fault = answer.kind == Kind::lost || answer.kind == Kind::unfit ||
                     answer.kind == Kind::full || answer.kind == Kind::apart ||
                     answer.kind == Kind::hung || answer.kind == Kind::distrusted;
  return fault || (answer.was_ready && answer.kind != Kind::ready);
}

}  // namespace

// The frames that are under way on this plan.
void Node::State::suspend_frames(const PlanHash& hash, const std::string& why) {
  std::vector<uint64_t> struck;
  for (const auto& [number, frame] : owned)
    if (frame.hash == hash && (frame.stage == Stage::opening || frame.stage == Stage::running))
      struck.push_back(number);
  for (const uint64_t number : struck)
    if (owned.contains(number) && owned.at(number).plan != nullptr) suspend(number, why);
}

void Node::State::suspend(uint64_t number, const std::string& why) {
  OwnedFrame& frame = owned.at(number);
  const uint32_t most = config.limits.attempts;
  if (most <= 1) return abort(number, why);
  if (frame.attempt + 1 >= most)
    return abort(number,
                 why + "; " + std::to_string(most) + " attempts at it have come to nothing");
  const FrameKey key = own_key(number, frame);
  drop_pieces(key, Place::frame);
  close_at_homes(key, frame, true);
  act(ReleaseAll{own_key(number), Place::outcome});
  ++frame.attempt;
  frame.stage = Stage::suspended;
  frame.plan = nullptr;
  frame.audits.clear();
  frame.audits_open = 0;
  frame.hash = frame.wanted;
  ++counters.frames_reissued;
  report(Report::Kind::frame_reissued, own_key(number), config.id,
         "frame " + std::to_string(number) + " is begun again: " + why);
}

bool Node::State::is_degraded(const PlanHash& wanted) const {
  const KnownPlan* plan = known(wanted);
  const auto offer = offers.find(wanted);
  if (plan == nullptr || offer == offers.end()) return false;
  return std::any_of(
      offer->second.answers.begin(), offer->second.answers.end(),
      [&](const auto& entry) { return plan->is_home(entry.first) && out_of_action(entry.second); });
}

// The wanted plan if it is usable; else, if homes of it are out of action, a stand-in that is.
std::optional<PlanHash> Node::State::plan_to_open(const PlanHash& wanted) {
  if (can_open(wanted)) return wanted;
  const auto offer = offers.find(wanted);
  if (!is_degraded(wanted) || !offer->second.refused.empty()) return {};
  std::optional<PlanHash> usable;
  for (const Trust trust : {Trust::hopeful, Trust::certain}) {
    const auto lost = losses(wanted, trust);
    if (!lost || lost->empty()) continue;
    const PlanHash hash = stand_in_for(wanted, *lost);
    if (!usable && can_open(hash)) usable = hash;
  }
  return usable;
}

// Derived once for the same losses; offered again if it had to make room meanwhile.
PlanHash Node::State::stand_in_for(const PlanHash& wanted, const std::vector<Inheritance>& lost) {
  for (const auto& [hash, offer] : offers)
    if (offer.stands_for == wanted && offer.losses == lost) return hash;
  for (const StandIn& other : stand_ins_due)
    if (other.wanted == wanted && other.losses == lost) return other.proposal.plan;
  const Plan plan = stand_in(known(wanted)->loaded->plan, lost);
  const PlanHash hash = hash_of(plan);
  stand_ins_due.push_back({wanted, lost, {hash, plan.model, print(plan)}});
  return hash;
}

void Node::State::propose_stand_ins() {
  while (!stand_ins_due.empty()) {
    const StandIn due = std::move(stand_ins_due.front());
    stand_ins_due.pop_front();
    if (offers.contains(due.proposal.plan)) continue;  // another way to the same tiles
    Offer& offer = offers[due.proposal.plan];
    offer.stands_for = due.wanted;
    offer.losses = due.losses;
    on(due.proposal);
  }
}

// None: a lost home has no heir.
std::optional<std::vector<Inheritance>> Node::State::losses(const PlanHash& wanted,
                                                            Trust trust) const {
  const KnownPlan& plan = *known(wanted);
  const Offer& offer = offers.at(wanted);
  std::vector<NodeId> chosen = within_reach({}, able(plan.homes, offer, trust));
  const auto heirs_of = [&](NodeId lost) {
    std::vector<NodeId> heirs;
    for (const NodeId node : chosen)
      if (may_replace(node, lost)) heirs.push_back(node);
    return heirs;
  };
  const bool complete = std::all_of(plan.homes.begin(), plan.homes.end(), [&](NodeId home) {
    return std::find(chosen.begin(), chosen.end(), home) != chosen.end() || !heirs_of(home).empty();
  });
  if (!complete) chosen = within_reach(std::move(chosen), able(config.members, offer, trust));
  std::vector<Inheritance> all;
  for (const NodeId home : plan.homes) {
    if (std::find(chosen.begin(), chosen.end(), home) != chosen.end()) continue;
    all.push_back({home, heirs_of(home)});
    if (all.back().heirs.empty()) return {};
  }
  return all;
}

std::vector<NodeId> Node::State::able(const std::vector<NodeId>& nodes, const Offer& offer,
                                      Trust trust) const {
  using Kind = Answer::Kind;
  std::vector<NodeId> found;
  for (const NodeId node : nodes) {
    const auto answer = offer.answers.find(node);
    const Kind kind = answer == offer.answers.end() ? Kind::none : answer->second.kind;
    const bool self = node == config.id;
    const auto peer = peers.find(node);
    const bool there =
        self ? config.limits.compute_slots > 0 && !is_damaged()
             : peer != peers.end() && peer->second.joined && peer->second.hello.compute_slots > 0;
    const bool holds = kind == Kind::ready || kind == Kind::apart ||
                       (kind == Kind::none && (self || trust == Trust::hopeful));
    if (there && holds && !distrusted.contains(node)) found.push_back(node);
  }
  return found;
}

// Adds those that reach all that are chosen before them; whom the fewest have lost comes first.
std::vector<NodeId> Node::State::within_reach(std::vector<NodeId> chosen,
                                              std::vector<NodeId> candidates) const {
  const auto says_lost = [&](NodeId a, NodeId b) {
    const auto peer = peers.find(a);
    return peer != peers.end() && peer->second.apart.contains(b);
  };
  const auto accusers = [&](NodeId node) {
    return std::count_if(peers.begin(), peers.end(), [&](const auto& entry) {
      return entry.second.joined && entry.second.apart.contains(node);
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

// Copies must be equal to the bit. Of a home that was never heard nothing is known that could
// differ.
bool Node::State::may_replace(NodeId heir, NodeId lost) const {
  const auto class_of = [&](NodeId node) -> const std::string* {
    if (node == config.id) return &config.arithmetic_class;
    const auto peer = peers.find(node);
    const bool heard = peer != peers.end() && peer->second.its_session != 0;
    return heard ? &peer->second.hello.arithmetic_class : nullptr;
  };
  const std::string *ours = class_of(heir), *theirs = class_of(lost);
  return ours == nullptr || theirs == nullptr || *ours == *theirs;
}

// A node that was just lost, may be starting anew, and could then do somebody's tiles.
bool Node::State::may_return(const KnownPlan& plan, NodeId node, const Answer& answer) const {
  return answer.kind == Answer::Kind::lost && !distrusted.contains(node) &&
         now - answer.since < config.limits.return_awaited &&
         std::any_of(plan.homes.begin(), plan.homes.end(),
                     [&](NodeId home) { return may_replace(node, home); });
}

// Why no stand-in can help, or could in a moment; empty: one can.
std::string Node::State::no_heir(const PlanHash& wanted) const {
  const KnownPlan& plan = *known(wanted);
  const auto& answers = offers.at(wanted).answers;
  if (std::any_of(answers.begin(), answers.end(),
                  [&](const auto& entry) { return may_return(plan, entry.first, entry.second); }))
    return {};
  std::string refused;
  for (const Trust trust : {Trust::certain, Trust::hopeful}) {
    const auto lost = losses(wanted, trust);
    if (!lost) continue;
    const auto offer = std::find_if(offers.begin(), offers.end(), [&](const auto& entry) {
      return entry.second.stands_for == wanted && entry.second.losses == *lost;
    });
    if (offer == offers.end() || offer->second.refused.empty() || offer->second.full) return {};
    refused = offer->second.refused;
  }
  if (!refused.empty()) return refused;
  for (const auto& [node, answer] : answers)
    if (answer.kind == Answer::Kind::hung || answer.kind == Answer::Kind::full)
      return {};     // it may come back, or have room
  std::string whys;  // of all homes
  for (const auto& [node, answer] : answers)
    if (plan.is_home(node) && out_of_action(answer) && !answer.why.empty())
      whys += (whys.empty() ? "" : "; ") + answer.why;
  if (!whys.empty()) return whys;
  return "no node is left that could do the work of plan " + short_name(wanted);
}

// At this plan and at the one that it stands in for.
void Node::State::put_aside(Answer::Kind kind, const PlanHash& hash, NodeId node,
                            const std::string& why) {
  const auto offer = offers.find(hash);
  if (offer == offers.end() || distrusted.contains(node)) return;
  offer->second.answers[node] = {kind, why, now, true};
  impair_plan(hash, offer->second, node, why);
  if (offer->second.stands_for) put_aside(kind, *offer->second.stands_for, node, why);
}

// Is there anybody else who might do its tiles?
bool Node::State::is_replaceable(const PlanHash& hash, NodeId node) const {
  const PlanHash wanted = offers.at(hash).stands_for.value_or(hash);
  const auto offer = offers.find(wanted);
  if (offer == offers.end()) return false;
  const std::vector<NodeId> all = able(config.members, offer->second, Trust::hopeful);
  return std::any_of(all.begin(), all.end(),
                     [&](NodeId other) { return other != node && may_replace(other, node); });
}

// Whatever made a node unfit may have passed, and what was in a stand-in's way here.
void Node::State::ask_again() {
  std::erase_if(offers, [&](const auto& entry) {
    const Offer& offer = entry.second;
    return offer.stands_for && !offer.refused.empty() &&
           now - offer.refused_at >= config.limits.unfit_for;
  });
  for (auto& [hash, offer] : offers) {
    for (auto& [node, answer] : offer.answers) {
      const bool due = (answer.kind == Answer::Kind::unfit || answer.kind == Answer::Kind::full) &&
                       now - answer.since >= config.limits.unfit_for;
      if (!due || (node == config.id && (is_damaged() || hangs()))) continue;
      if (node == config.id)
        answer = {Answer::Kind::ready, {}, now, true};
      else if (peers.at(node).joined)
        offer_plan(hash, offer, node);
    }
  }
}

}  // namespace shingle
