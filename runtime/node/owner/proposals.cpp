#include "runtime/node/owner/proposals.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

Proposals::Proposals(const NodeConfig& config, Peers& peers, const Health& health, Plans& plans,
                     Offers& offers, const Heirs& heirs, OwnFrames& frames, Effects& effects)
    : config_(config),
      peers_(peers),
      health_(health),
      plans_(plans),
      offers_(offers),
      heirs_(heirs),
      frames_(frames),
      effects_(effects) {}

// --- plans ---

void Proposals::propose(const PlanHash& plan, bool held) {
  Offer& offer = offers_.at(plan);
  if (!held) {
    offer.full = !offer.proposed;  // ask_again() has it tried again
    return refuse(plan, "this node already holds as many plans in use as it may");
  }
  for (const auto& [id, peer] : peers_)
    if (offers_.is_for(peer, id, offer)) offers_.offer_to(id, plan, offer);
  if (plans_.known(plan) != nullptr) return check_homes(plan, offer);
  plans_.take_text(plan, {offer.text, offer.model, {config_.id}});
}

void Proposals::loaded(const PlanHash& plan, bool was_overdue) {
  Offer& offer = offers_.at(plan);
  if (was_overdue) offer.refused.clear();
  check_homes(plan, offer);
  if (offer.proposed && offer.refused.empty()) report_early_refusal(plan, offer);
}

// A home may answer before this node has read the plan and knows that it is one.
void Proposals::report_early_refusal(const PlanHash& plan, const Offer& offer) {
  if (heirs_.obstacle(plan).empty()) return;
  for (const auto& [node, answer] : offer.answers) {
    const bool refuses = answer.kind == Answer::Kind::refused || answer.kind == Answer::Kind::unfit;
    if (!refuses || !plans_.known(plan)->is_home(node)) continue;
    effects_.report(Report::Kind::plan_refused, {}, node, answer.why, plan);
    return;
  }
}

void Proposals::cannot_load(const PlanHash& plan, Answer::Kind kind, const std::string& why) {
  offers_.decline_inheritance(config_.id, offers_.at(plan), {kind, why, effects_.now(), true});
  refuse(plan, why);
  frames_.open_next();  // on a stand-in in which this node inherits nothing
}

void Proposals::refuse(const PlanHash& plan, const std::string& why) {
  Offer& offer = offers_.at(plan);
  offer.reported_ready = false;
  offer.refused_at = effects_.now();
  offer.refused = "plan " + short_name(plan) + " was refused: " + why;
  effects_.report(Report::Kind::plan_refused, {}, config_.id, offer.refused, plan);
  frames_.abort_hopeless();
}

void Proposals::check_homes(const PlanHash& plan, Offer& offer) {
  const KnownPlan* known = plans_.known(plan);
  assert(known != nullptr);
  if (health_.hangs()) offer.answers[config_.id] = health_.own_answer();  // it inherits nothing
  for (const NodeId home : known->homes) {
    const Peer* peer = peers_.find(home);
    const bool self = home == config_.id;
    if (!self && peer == nullptr)
      return refuse(plan, "it gives tiles to node " + std::to_string(home.value) +
                              ", which is not in the cluster");
    const uint32_t slots = self ? config_.limits.compute_slots : peer->hello.compute_slots;
    if (slots == 0 && (self || peer->joined))
      return refuse(plan, "it gives tiles to " + peers_.name_of(home) + ", which computes nothing");
    if (offers_.distrusts(home))
      offer.answers[home] = offers_.no_trust_in(home);
    else if (self)
      offer.answers[home] = health_.own_answer();
    offer.answers.try_emplace(home, Answer{Answer::Kind::none, {}, effects_.now(), false});
  }
  frames_.abort_hopeless();
  check(plan, offer);
}

void Proposals::check(const PlanHash& plan, Offer& offer) {
  if (offer.reported_ready || !offers_.can_open(plan)) return;
  offer.reported_ready = true;
  effects_.report(Report::Kind::plan_ready, {}, config_.id,
                  "plan " + short_name(plan) + " is ready", plan);
  frames_.open_next();
}

void Proposals::check_all() {
  std::vector<PlanHash> all;
  for (const auto& [hash, offer] : offers_) all.push_back(hash);
  for (const PlanHash& hash : all) check(hash, offers_.at(hash));
}

// --- answers ---

void Proposals::answered(NodeId from, const PlanReady& answer) {
  Offer* offer = offers_.find(answer.plan);
  if (offer == nullptr || offers_.distrusts(from)) return;
  const bool holds = answer.ready || answer.lost || answer.hangs;
  if (holds)
    offer->holders[from] = peers_.at(from).hello.life;
  else
    offer->holders.erase(from);
  if (answer.again && offer->answers[from].is_by_hash)
    return offers_.offer_to(from, answer.plan, *offer);
  answer.ready ? ready(from, answer, *offer) : not_ready(from, answer, *offer);
}

void Proposals::ready(NodeId from, const PlanReady& answer, Offer& offer) {
  assert(answer.ready);
  offer.answers[from] = {Answer::Kind::ready, {}, effects_.now(), true};
  offers_.accept_inheritance(from, offer);
  const KnownPlan* plan = plans_.known(answer.plan);
  if (plan != nullptr && plan->is_home(from))
    for (const NodeId home : plan->homes) peers_.at(from).unreachable.erase(home);
  check(answer.plan, offer);
  frames_.leave_the_hung();
  frames_.open_next();  // a stand-in may have waited for this alone
}

void Proposals::not_ready(NodeId from, const PlanReady& answer, Offer& offer) {
  assert(!answer.ready);
  const KnownPlan* plan = plans_.known(answer.plan);
  const std::string why = "plan " + short_name(answer.plan) +
                          " was refused: " + peers_.name_of(from) +
                          " cannot run it: " + answer.why_not;
  const bool home = plan == nullptr || plan->is_home(from);
  if (answer.lost && home && peers_.find(*answer.lost) != nullptr)
    peers_.at(from).unreachable.insert(*answer.lost);
  take_refusal(from, answer, offer, why);
  if (home) {
    offers_.impair(answer.plan, offer, from, why);
    if (!answer.hangs) frames_.suspend_all(answer.plan, why);
    frames_.leave_the_hung();
    if (offer.proposed && !heirs_.obstacle(answer.plan).empty())
      effects_.report(Report::Kind::plan_refused, {}, from, why, answer.plan);
    frames_.abort_hopeless();
    frames_.open_next();
  }
  if (answer.hangs) frames_.lost_auditor(from);  // it may come back much later
}

// Notes why the node is not ready: it is unreachable, hangs, is full, is unfit, or refuses.
void Proposals::take_refusal(NodeId from, const PlanReady& answer, Offer& offer,
                             const std::string& why) {
  const Time now = effects_.now();
  const Answer earlier = offer.answers[from];
  if (answer.lost)
    offer.answers[from] = {Answer::Kind::unreachable, why, now, true};
  else if (answer.hangs)
    offers_.suspend(from, answer.plan, {Answer::Kind::hung, why, now, true});
  else if (answer.again)
    decline(from, answer.plan, offer,
            {.kind = Answer::Kind::full,
             .why = why,
             .since = now,
             .was_ready = true,
             .gave_up = earlier.kind == Answer::Kind::ready || earlier.gave_up});
  else if (earlier.was_ready || !offer.proposed || answer.damaged)
    decline(from, answer.plan, offer, {Answer::Kind::unfit, why, now, true});
  else
    offer.answers[from] = {Answer::Kind::refused, why, now, false};
}

void Proposals::decline(NodeId node, const PlanHash& plan, const Offer& offer,
                        const Answer& answer) {
  offers_.decline(node, plan, answer, may_ask_at_once(plan, offer, node, answer));
}

void Proposals::give_up_waiting_for_homes() {
  const Duration awaited = config_.limits.answer_awaited;
  for (auto& [hash, offer] : offers_) {
    const KnownPlan* plan = plans_.known(hash);
    if (plan == nullptr) continue;
    for (const NodeId node : plan->homes) {
      Answer* known = find_in(offer.answers, node);
      if (known == nullptr) continue;
      Answer& answer = *known;
      const bool silent = answer.kind == Answer::Kind::none && answer.why.empty() &&
                          effects_.now() - answer.since >= awaited;
      if (!silent) continue;
      answer.why = "plan " + short_name(hash) + " was refused: " + peers_.name_of(node) +
                   " has not become ready for it in " +
                   std::to_string(awaited / std::chrono::seconds(1)) + " s";
      if (!offer.proposed)
        decline(node, hash, offer, {Answer::Kind::unfit, answer.why, effects_.now(), true});
      else if (!answer.was_ready)
        effects_.report(Report::Kind::plan_refused, {}, node, answer.why, hash);
    }
  }
}

// --- asking again ---

// A home whose table is full forgets the plan that was used longest ago. If frames need that plan
// now, the home is asked again at once.
bool Proposals::may_ask_at_once(const PlanHash& plan, const Offer& offer, NodeId node,
                                const Answer& answer) const {
  const Time* last = find_in(offer.asked_at_once, node);
  const bool just_asked = last != nullptr && effects_.now() - *last < config_.limits.unfit_for;
  if (!answer.gave_up || just_asked) return false;
  return frames_.has_frames(plan) ||
         std::any_of(offer.roles.begin(), offer.roles.end(),
                     [&](const Role& role) { return frames_.has_frames(role.wanted); });
}

void Proposals::ask_again() {
  offers_.forget_refused([&](const PlanHash& plan) { return frames_.has_frames(plan); });
  for (auto& [hash, offer] : offers_) ask_again(hash, offer);
  check_all();
}

// A node without tiles that has refused is asked again only if no other node can inherit. It may
// have no use for the text.
void Proposals::ask_again(const PlanHash& plan, Offer& offer) {
  const Time now = effects_.now();
  if (heirs_.needs_more(plan)) offers_.ask_more(plan, offer);
  const bool is_needed = offers_.is_degraded(plan) && !heirs_.losses(plan, Heirs::Trust::certain);
  for (auto& [node, answer] : offer.answers) {
    if (answer.kind == Answer::Kind::ready || answer.kind == Answer::Kind::none) continue;
    const bool is_spare = is_needed && !plans_.known(plan)->is_home(node);
    const bool may_have_passed = answer.kind == Answer::Kind::unfit ||
                                 answer.kind == Answer::Kind::full ||
                                 (answer.kind == Answer::Kind::refused && is_spare);
    if (!may_have_passed) continue;
    const bool at_once = may_ask_at_once(plan, offer, node, answer);
    const Duration pause = at_once ? config_.limits.beat_every : config_.limits.unfit_for;
    if (now - answer.since < pause) continue;
    if (at_once) offer.asked_at_once[node] = now;
    if (node == config_.id)
      answer = health_.own_answer();
    else if (peers_.is_joined(node))
      offers_.offer_to(node, plan, offer);
  }
}

// --- this node as a home of its own plans ---

// A node that hangs inherits nothing either, so all plans are affected.
void Proposals::suspend_self(Answer::Kind kind, const std::string& why) {
  assert(!health_.works());
  const bool hung = kind == Answer::Kind::hung;
  std::vector<PlanHash> affected;
  for (const auto& [hash, offer] : offers_) {
    const KnownPlan* plan = plans_.known(hash);
    if (plan != nullptr && (hung || plan->is_home(config_.id))) affected.push_back(hash);
  }
  for (const PlanHash& hash : affected)
    offers_.suspend(config_.id, hash, {kind, why, effects_.now(), true});
  if (!hung)
    for (const PlanHash& hash : affected) frames_.suspend_all(hash, why);
  frames_.leave_the_hung();
  frames_.abort_hopeless();
  frames_.open_next();
}

void Proposals::ready_again() {
  assert(health_.works());
  for (auto& [hash, offer] : offers_)
    if (Answer* own = find_in(offer.answers, config_.id);
        own != nullptr && (own->kind == Answer::Kind::hung || own->kind == Answer::Kind::full))
      *own = health_.own_answer();
}

}  // namespace shingle
