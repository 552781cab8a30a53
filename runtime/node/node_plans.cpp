// Plans that this node offers as an owner, and what peers say of them; plans that are offered to
// it.
#include <algorithm>

#include "runtime/node/node_state.hpp"

namespace shingle {

namespace {

PlanReady not_now(const PlanHash& hash, std::string why) {
  return {.plan = hash, .ready = false, .why_not = std::move(why), .lost = {}, .again = true};
}

std::string seconds(Duration duration) {
  return std::to_string(duration / std::chrono::seconds(1));
}

}  // namespace

// A plan that is proposed again may be answered otherwise; who is away answers nothing.
bool Node::State::stays_lost(NodeId node, const Answer& answer) const {
  const Peer* peer = find_in(peers, node);
  return answer.kind == Answer::Kind::lost && peer != nullptr && !peer->joined;
}

void Node::State::propose(const PlanHash& hash, Offer& offer) {
  std::erase_if(offer.answers,
                [&](const auto& entry) { return !stays_lost(entry.first, entry.second); });
  offer.declined.clear();
  offer.reported_ready = false;
  offer.refused.clear();
  offer.full = false;
  PlanEntry* entry = plan_entry(hash);
  if (entry == nullptr) {
    offer.full = !offer.proposed;  // ask_again() has it tried again
    return refuse_plan(hash, offer, "this node already holds as many plans in use as it may");
  }
  for (const auto& [id, peer] : peers)
    if (peer.joined && peer.hello.compute_slots > 0) offer_plan(hash, offer, id);
  if (entry->known) return check_homes(hash, offer);
  take_text(hash, *entry, {offer.text, offer.model, {config.id}});
}

// Offers the plans of the application first. A node with a memory cap may have no room for a
// stand-in beside them.
void Node::State::offer_plans_to(NodeId peer) {
  for (const bool proposed : {true, false})
    for (auto& [hash, offer] : offers)
      if (offer.proposed == proposed) offer_plan(hash, offer, peer);
}

// The text once to each life of a peer, whether or not it has answered: on a slow wire the texts of
// several plans, to peers that lose us because of them and come back, would hold up the beats for
// ever. One that a connection took with it is asked for.
void Node::State::offer_plan(const PlanHash& hash, Offer& offer, NodeId peer) {
  Answer& answer = offer.answers[peer];
  if (distrusted.contains(peer)) {
    answer = no_trust_in(peer);
    return;
  }
  const uint64_t life = peers.at(peer).hello.life;
  const uint64_t* holder = find_in(offer.holders, peer);
  const bool has_it = holder != nullptr && *holder == life;
  offer.holders[peer] = life;
  answer = {Answer::Kind::none, {}, now, answer.was_ready, has_it};
  send(peer, PlanOffer{hash, offer.model, has_it ? std::string{} : offer.text});
}

Answer Node::State::no_trust_in(NodeId node) const {
  return {Answer::Kind::distrusted, name_of(node) + " is trusted no more", now, true};
}

void Node::State::on_plan_offer(NodeId from, const PlanOffer& offer) {
  if (offer.text.empty() && !plans.contains(offer.plan))
    return send(from, not_now(offer.plan, "it gave the plan up for another"));
  if (is_damaged() && known(offer.plan) == nullptr)  // no executor could pack it
    return send(from, not_sound(offer.plan));
  PlanEntry* entry = plan_entry(offer.plan);
  if (entry == nullptr)
    return send(from, not_now(offer.plan, "it holds as many plans in use as it may"));
  std::erase(entry->told, from);
  if (std::find(entry->askers.begin(), entry->askers.end(), from) == entry->askers.end())
    entry->askers.push_back(from);
  if (const auto refusal = out_of_order(offer.plan); entry->known && refusal)
    return send(from, *refusal);
  if (entry->known) return answer_askers();
  if (entry->overdue) return send(from, not_now(offer.plan, packing_hangs()));
  if (!offer.text.empty()) take_text(offer.plan, *entry, {offer.text, offer.model, {from}});
}

void Node::State::on(const PlanLoaded& event) {
  PlanEntry* entry = find_in(plans, event.hash);
  if (entry == nullptr || entry->known) return;
  if (event.plan == nullptr)
    return event.again ? loading_failed(event.hash, event.why_not)
                       : text_failed(event.hash, event.why_not);
  Offer* offer = find_in(offers, event.hash);
  entry->known = know(event.plan, config.id);
  if (entry->overdue && offer != nullptr) offer->refused.clear();
  end_loading(*entry);
  for (auto& [id, peer] : peers)  // what was refused for lack of this plan may be lent now
    peer.inviting = true;
  refuse_askers(event.hash, *entry);
  answer_askers();
  if (offer != nullptr) check_homes(event.hash, *offer);
}

// A home is ready when it has joined the other homes (strips must not be sent into the void), its
// executor comes back from tiles and its weights are what they were.
void Node::State::answer_askers() {
  for (auto& [hash, entry] : plans) {
    if (!entry.known) continue;
    const KnownPlan& plan = *entry.known;
    const bool apart = plan.is_home(config.id) &&
                       std::any_of(plan.homes.begin(), plan.homes.end(), [&](NodeId home) {
                         const Peer* peer = find_in(peers, home);
                         return peer != nullptr && !peer->joined;
                       });
    if (apart || hangs() || is_damaged()) continue;
    for (const NodeId asker : entry.askers) {
      send(asker, PlanReady{hash, true, {}});
      entry.told.push_back(asker);
    }
    entry.askers.clear();
  }
}

// Strips to or from the lost home may be lost too: owners must not count on us until it is back.
void Node::State::withdraw_readiness(NodeId lost) {
  for (auto& [hash, entry] : plans) {
    std::erase(entry.askers, lost);
    std::erase(entry.told, lost);
    take_text_back(entry, lost);
    if (!entry.known || !entry.known->is_home(config.id) || !entry.known->is_home(lost)) continue;
    for (const NodeId owner : entry.told) {
      send(owner, PlanReady{hash, false, "it lost " + name_of(lost), lost});
      entry.askers.push_back(owner);
    }
    entry.told.clear();
  }
}

// Now that the plan is readable: does the cluster have its homes?
void Node::State::check_homes(const PlanHash& hash, Offer& offer) {
  if (hangs()) offer.answers[config.id] = own_answer();  // it inherits nothing either
  for (const NodeId home : known(hash)->homes) {
    const Peer* peer = find_in(peers, home);
    const bool self = home == config.id;
    if (!self && peer == nullptr)
      return refuse_plan(
          hash, offer,
          "it gives tiles to node " + std::to_string(home.value) + ", which is not in the cluster");
    const uint32_t slots = self ? config.limits.compute_slots : peer->hello.compute_slots;
    if (slots == 0 && (self || peer->joined))
      return refuse_plan(hash, offer,
                         "it gives tiles to " + name_of(home) + ", which computes nothing");
    if (distrusted.contains(home))
      offer.answers[home] = no_trust_in(home);
    else if (self)
      offer.answers[home] = own_answer();
    offer.answers.try_emplace(home, Answer{Answer::Kind::none, {}, now, false});
  }
  abort_hopeless_frames();
  check_offer(hash, offer);
}

void Node::State::on_plan_ready(NodeId from, const PlanReady& answer) {
  Offer* place = find_in(offers, answer.plan);
  if (place == nullptr || distrusted.contains(from)) return;
  Offer& offer = *place;
  const KnownPlan* plan = known(answer.plan);
  std::set<NodeId>& apart = peers.at(from).apart;
  const bool holds = answer.ready || answer.lost || answer.hangs;
  if (holds)
    offer.holders[from] = peers.at(from).hello.life;
  else
    offer.holders.erase(from);
  if (answer.again && offer.answers[from].is_by_hash) return offer_plan(answer.plan, offer, from);
  if (answer.ready) {
    offer.answers[from] = {Answer::Kind::ready, {}, now, true};
    accept_inheritance(from, offer);
    if (plan != nullptr && plan->is_home(from))
      for (const NodeId home : plan->homes) apart.erase(home);
    check_offer(answer.plan, offer);
    leave_the_hung();
    return open_next();  // a stand-in may have waited for this alone
  }
  const std::string why = "plan " + short_name(answer.plan) + " was refused: " + name_of(from) +
                          " cannot run it: " + answer.why_not;
  const bool home = plan == nullptr || plan->is_home(from);
  if (answer.lost && home && peers.contains(*answer.lost)) apart.insert(*answer.lost);
  const Answer earlier = offer.answers[from];
  if (answer.lost)
    offer.answers[from] = {Answer::Kind::apart, why, now, true};
  else if (answer.hangs)
    put_aside(from, answer.plan, {Answer::Kind::hung, why, now, true});
  else if (answer.again)
    decline(from, answer.plan,
            {.kind = Answer::Kind::full,
             .why = why,
             .since = now,
             .was_ready = true,
             .gave_up = earlier.kind == Answer::Kind::ready || earlier.gave_up});
  else if (earlier.was_ready || !offer.proposed || answer.damaged)
    decline(from, answer.plan, {Answer::Kind::unfit, why, now, true});
  else
    offer.answers[from] = {Answer::Kind::refused, why, now, false};
  if (home) {
    impair_plan(answer.plan, offer, from, why);
    if (!answer.hangs) suspend_frames(answer.plan, why);
    leave_the_hung();
    if (offer.proposed && !obstacle(answer.plan).empty())
      report(Report::Kind::plan_refused, {}, from, why, answer.plan);
    abort_hopeless_frames();
    open_next();
  }
  if (answer.hangs) owner_lost_auditor(from);  // it may come back much later
}

// A home that never came, or cannot reach another home, must not keep frames waiting for ever.
void Node::State::give_up_waiting_for_homes() {
  for (auto& [hash, offer] : offers) {
    const KnownPlan* plan = known(hash);
    if (plan == nullptr) continue;
    for (auto& [node, answer] : offer.answers) {
      const bool silent = answer.kind == Answer::Kind::none && answer.why.empty() &&
                          now - answer.since >= config.limits.answer_awaited;
      if (!silent || !plan->is_home(node)) continue;
      answer.why = "plan " + short_name(hash) + " was refused: " + name_of(node) +
                   " has not become ready for it in " + seconds(config.limits.answer_awaited) +
                   " s";
      if (!offer.proposed)
        decline(node, hash, {Answer::Kind::unfit, answer.why, now, true});
      else if (!answer.was_ready)
        report(Report::Kind::plan_refused, {}, node, answer.why, hash);
    }
  }
  give_up_waiting_for_slots();
  give_up_waiting_for_tiles();
  give_up_waiting_for_witnesses();
  ask_again();
  leave_the_hung();
  abort_hopeless_frames();
  drop_withdrawn();
  open_next();
}

void Node::State::check_offer(const PlanHash& hash, Offer& offer) {
  if (offer.reported_ready || !can_open(hash)) return;
  offer.reported_ready = true;
  report(Report::Kind::plan_ready, {}, config.id, "plan " + short_name(hash) + " is ready", hash);
  open_next();
}

// If it was ready and this home was one that it needs; it will be reported ready again.
void Node::State::impair_plan(const PlanHash& hash, Offer& offer, NodeId home,
                              const std::string& why) {
  if (!offer.reported_ready || can_open(hash)) return;
  offer.reported_ready = false;
  report(Report::Kind::plan_impaired, {}, home, why, hash);
}

void Node::State::refuse_plan(const PlanHash& hash, Offer& offer, const std::string& why) {
  offer.reported_ready = false;
  offer.refused_at = now;
  offer.refused = "plan " + short_name(hash) + " was refused: " + why;
  report(Report::Kind::plan_refused, {}, config.id, offer.refused, hash);
  abort_hopeless_frames();
}

bool Node::State::can_open(const PlanHash& hash) const {
  const Offer* offer = find_in(offers, hash);
  const KnownPlan* plan = known(hash);
  if (offer == nullptr || plan == nullptr || !offer->refused.empty()) return false;
  return std::all_of(plan->homes.begin(), plan->homes.end(), [&](NodeId home) {
    const Answer* answer = find_in(offer->answers, home);
    return answer != nullptr && answer->kind == Answer::Kind::ready;
  });
}

std::string Node::State::obstacle(const PlanHash& hash) const {
  const Offer* offer = find_in(offers, hash);
  if (offer == nullptr) return not_proposed(hash);
  if (!offer->refused.empty()) return offer->refused;
  const KnownPlan* plan = known(hash);
  if (plan == nullptr) return {};
  for (const auto& [node, answer] : offer->answers) {
    const bool fault = answer.was_ready || answer.kind == Answer::Kind::lost ||
                       answer.kind == Answer::Kind::apart || answer.kind == Answer::Kind::unfit ||
                       answer.kind == Answer::Kind::full || answer.kind == Answer::Kind::hung ||
                       answer.kind == Answer::Kind::distrusted;
    if (plan->is_home(node) && !answer.why.empty() && !fault) return answer.why;
  }
  return is_degraded(hash) ? no_heir(hash) : "";
}

}  // namespace shingle
