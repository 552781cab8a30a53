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
//                      other nodes that hold it, this one included; of the lost home's class,
//                      and with room for more: who refuses a stand-in keeps its own tiles
//   hopefully          those that were offered the plan and have not answered count too; the
//                      stand-in without them is offered beside, and the first that is ready is used
//   bounds             attempts at a frame; a node that failed is asked again after `unfit_for`
#include <algorithm>
#include <cassert>

#include "runtime/node/node_state.hpp"

namespace shingle {

using Stage = OwnedFrame::Stage;

namespace {

constexpr size_t most_roles = 16;  // remembered of one stand-in

bool inherits(const Role& role, NodeId node) {
  return std::any_of(role.losses.begin(), role.losses.end(), [&](const Inheritance& each) {
    return std::find(each.heirs.begin(), each.heirs.end(), node) != each.heirs.end();
  });
}

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
  for (const uint64_t number : struck) suspend(number, why);
}

// REQUIRES: it is under way. No other frame that is under way ends by it.
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
  frame.asked.reset();
  frame.audits.clear();
  frame.audits_open = 0;
  frame.hash = frame.wanted;
  ++counters.frames_reissued;
  report(Report::Kind::frame_reissued, own_key(number), config.id,
         "frame " + std::to_string(number) + " is begun again: " + why);
}

bool Node::State::is_degraded(const PlanHash& wanted) const {
  const KnownPlan* plan = known(wanted);
  const Offer* offer = find_in(offers, wanted);
  if (plan == nullptr || offer == nullptr) return false;
  return std::any_of(offer->answers.begin(), offer->answers.end(), [&](const auto& entry) {
    return plan->is_home(entry.first) && out_of_action(entry.second);
  });
}

// The wanted plan if it is usable; else, if homes of it are out of action, a stand-in that is.
std::optional<PlanHash> Node::State::plan_to_open(const PlanHash& wanted) {
  if (can_open(wanted)) return wanted;
  const Offer* offer = find_in(offers, wanted);
  if (!is_degraded(wanted) || !offer->refused.empty()) return {};
  std::optional<PlanHash> usable;
  for (const Trust trust : {Trust::hopeful, Trust::certain}) {
    const auto lost = losses(wanted, trust);
    if (!lost || lost->empty()) continue;
    const PlanHash hash = stand_in_for({wanted, *lost});
    if (!usable && can_open(hash)) usable = hash;
  }
  return usable;
}

std::map<PlanHash, Offer>::const_iterator Node::State::offered_as(const Role& role) const {
  return std::find_if(offers.begin(), offers.end(), [&](const auto& entry) {
    const std::vector<Role>& roles = entry.second.roles;
    return std::find(roles.begin(), roles.end(), role) != roles.end();
  });
}

// Derived once for the same losses; offered again if it had to make way meanwhile.
PlanHash Node::State::stand_in_for(const Role& role) {
  if (const auto offered = offered_as(role); offered != offers.end()) {
    if (PlanEntry* held = find_in(plans, offered->first)) held->used_at = now;  // it is wanted
    return offered->first;
  }
  for (const StandIn& other : stand_ins_due)
    if (other.role == role) return other.proposal.plan;
  const Plan plan = stand_in(known(role.wanted)->loaded->plan, role.losses);
  const PlanHash hash = hash_of(plan);
  stand_ins_due.push_back({role, {hash, plan.model, print(plan)}});
  return hash;
}

void Node::State::propose_stand_ins() {
  while (!stand_ins_due.empty()) {
    StandIn due = std::move(stand_ins_due.front());
    stand_ins_due.pop_front();
    const bool another_way = offers.contains(due.proposal.plan);  // to the same tiles
    Offer& offer = offer_entry(due.proposal.plan);
    if (offer.roles.size() >= most_roles) offer.roles.erase(offer.roles.begin());
    offer.roles.push_back(std::move(due.role));
    if (another_way) continue;
    offer.model = due.proposal.model;
    offer.text = std::move(due.proposal.text);
    propose(due.proposal.plan, offer);
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
      if (may_replace(node, lost) && !declines(offer, node, trust)) heirs.push_back(node);
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
    const Answer* answer = find_in(offer.answers, node);
    const Kind kind = answer == nullptr ? Kind::none : answer->kind;
    const bool self = node == config.id;
    const Peer* peer = find_in(peers, node);
    const bool there = self ? config.limits.compute_slots > 0 && !is_damaged()
                            : peer != nullptr && peer->joined && peer->hello.compute_slots > 0;
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
    const Peer* peer = find_in(peers, a);
    return peer != nullptr && peer->apart.contains(b);
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
// differ. REQUIRES: the heir was heard.
bool Node::State::may_replace(NodeId heir, NodeId lost) const {
  const auto class_of = [&](NodeId node) -> const std::string* {
    if (node == config.id) return &config.arithmetic_class;
    const Peer* peer = find_in(peers, node);
    const bool heard = peer != nullptr && peer->its_session != 0;
    return heard ? &peer->hello.arithmetic_class : nullptr;
  };
  const std::string *ours = class_of(heir), *theirs = class_of(lost);
  assert(ours != nullptr);
  return theirs == nullptr || *ours == *theirs;
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
    const auto offer = offered_as({wanted, *lost});
    if (offer == offers.end() || offer->second.refused.empty() || offer->second.full) return {};
    refused = offer->second.refused;
  }
  if (!refused.empty()) return refused;
  const auto& declined = offers.at(wanted).declined;
  for (const auto* all : {&answers, &declined})
    for (const auto& [node, answer] : *all)
      if (answer.kind == Answer::Kind::hung || answer.kind == Answer::Kind::full)
        return {};   // it may come back, or have room
  std::string whys;  // of all homes, and of those who would not do their work
  for (const auto& [node, answer] : answers)
    if (plan.is_home(node) && out_of_action(answer) && !answer.why.empty())
      whys += (whys.empty() ? "" : "; ") + answer.why;
  for (const auto& [node, answer] : declined) whys += (whys.empty() ? "" : "; ") + answer.why;
  if (!whys.empty()) return whys;
  return "no node is left that could do the work of plan " + short_name(wanted);
}

// Of late it had no room for tiles of lost homes. It is asked again, and hoped for then.
bool Node::State::declines(const Offer& wanted, NodeId node, Trust trust) const {
  const Answer* said = find_in(wanted.declined, node);
  if (said == nullptr) return false;
  return trust == Trust::certain || now - said->since < config.limits.unfit_for;
}

// It cannot do its part of the plan, nor of those that the plan stands in for.
void Node::State::put_aside(NodeId node, const PlanHash& hash, const Answer& answer) {
  const auto set_aside = [&](const PlanHash& each) {
    Offer* offer = find_in(offers, each);
    if (offer == nullptr) return;
    offer->answers[node] = answer;
    impair_plan(each, *offer, node, answer.why);
  };
  Offer* offer = find_in(offers, hash);
  if (offer == nullptr || distrusted.contains(node)) return;
  set_aside(hash);
  for (const Role& role : offer->roles) set_aside(role.wanted);
}

// It does not take the plan. Of a stand-in in which it would inherit that says nothing of the tiles
// that are its own: it is put aside as an heir alone, and as a home only if it refuses without
// inheriting. Who has no tile in either says nothing by it.
void Node::State::decline(NodeId node, const PlanHash& hash, const Answer& answer) {
  Offer* offer = find_in(offers, hash);
  if (offer == nullptr || distrusted.contains(node)) return;
  offer->answers[node] = answer;
  impair_plan(hash, *offer, node, answer.why);
  if (!may_ask_at_once(hash, *offer, node, answer)) decline_inheritance(node, *offer, answer);
  for (const Role& role : offer->roles) {
    Offer* wanted = find_in(offers, role.wanted);
    const KnownPlan* plan = known(role.wanted);
    if (wanted == nullptr || inherits(role, node)) continue;
    if (plan != nullptr && !plan->is_home(node)) continue;
    wanted->answers[node] = answer;
    impair_plan(role.wanted, *wanted, node, answer.why);
  }
}

void Node::State::decline_inheritance(NodeId node, const Offer& offer, const Answer& answer) {
  for (const Role& role : offer.roles)
    if (Offer* wanted = find_in(offers, role.wanted); wanted != nullptr && inherits(role, node))
      wanted->declined[node] = answer;
}

void Node::State::accept_inheritance(NodeId node, const Offer& offer) {
  for (const Role& role : offer.roles)
    if (Offer* wanted = find_in(offers, role.wanted); wanted != nullptr && inherits(role, node))
      wanted->declined.erase(node);
}

// Who hangs may come back at any moment: frames under way wait for it until somebody else could do
// its tiles. Where homes of the wanted plan were never there, nobody has said a word of it: after a
// while a stand-in is offered, and whoever is ready for that can.
void Node::State::leave_the_hung() {
  const auto hung_home = [&](const OwnedFrame& frame) -> const Answer* {
    const std::map<NodeId, Answer>& answers = offers.at(frame.hash).answers;
    const auto hung = std::find_if(answers.begin(), answers.end(), [&](const auto& entry) {
      return entry.second.kind == Answer::Kind::hung && frame.plan->is_home(entry.first);
    });
    return hung == answers.end() ? nullptr : &hung->second;
  };
  std::vector<std::pair<uint64_t, std::string>> struck;
  for (const auto& [number, frame] : owned) {
    if (frame.stage != Stage::opening && frame.stage != Stage::running) continue;
    const Answer* hung = hung_home(frame);
    if (hung == nullptr) continue;
    const bool for_long = now - hung->since >= config.limits.unfit_for;
    if (losses(frame.wanted, Trust::certain) || (for_long && plan_to_open(frame.wanted)))
      struck.emplace_back(number, hung->why);
  }
  for (const auto& [number, why] : struck) suspend(number, why);
}

// A plan may be ready again through this node itself alone.
void Node::State::check_offers() {
  std::vector<PlanHash> all;
  for (const auto& [hash, offer] : offers) all.push_back(hash);
  for (const PlanHash& hash : all) check_offer(hash, offers.at(hash));
}

// A home whose table is full forgets the plan that was used longest ago. If frames need that plan
// now, the home is asked again at once.
bool Node::State::may_ask_at_once(const PlanHash& hash, const Offer& offer, NodeId node,
                                  const Answer& answer) const {
  const Time* last = find_in(offer.asked_at_once, node);
  if (!answer.gave_up || (last != nullptr && now - *last < config.limits.unfit_for)) return false;
  return has_frames(hash) || std::any_of(offer.roles.begin(), offer.roles.end(),
                                         [&](const Role& role) { return has_frames(role.wanted); });
}

// Whatever made a node unfit may have passed, and what was in a stand-in's way here. A spare that
// has refused is asked again only where nobody is left to inherit: it may have no use for the text.
void Node::State::ask_again() {
  std::erase_if(offers, [&](const auto& entry) {
    const Offer& offer = entry.second;
    return !offer.proposed && !offer.refused.empty() && !has_frames(entry.first) &&
           now - offer.refused_at >= config.limits.unfit_for;
  });
  for (auto& [hash, offer] : offers) {
    const bool is_needed = is_degraded(hash) && !losses(hash, Trust::certain);
    for (auto& [node, answer] : offer.answers) {
      const bool is_spare = is_needed && !known(hash)->is_home(node);
      const bool may_have_passed = answer.kind == Answer::Kind::unfit ||
                                   answer.kind == Answer::Kind::full ||
                                   (answer.kind == Answer::Kind::refused && is_spare);
      const bool at_once = may_ask_at_once(hash, offer, node, answer);
      const Duration pause = at_once ? config.limits.beat_every : config.limits.unfit_for;
      if (!may_have_passed || now - answer.since < pause) continue;
      if (at_once) offer.asked_at_once[node] = now;
      if (node == config.id)
        answer = own_answer();
      else if (peers.at(node).joined)
        offer_plan(hash, offer, node);
    }
  }
  check_offers();
}

}  // namespace shingle
