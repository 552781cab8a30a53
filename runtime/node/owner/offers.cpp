#include "runtime/node/owner/offers.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

namespace {

constexpr size_t most_roles = 16;  // remembered of one stand-in

bool inherits(const Role& role, NodeId node) {
  return std::any_of(role.losses.begin(), role.losses.end(), [&](const Inheritance& each) {
    return std::find(each.heirs.begin(), each.heirs.end(), node) != each.heirs.end();
  });
}

}  // namespace

bool out_of_action(const Answer& answer) {
  if (answer.kind == Answer::Kind::lost) return true;  // whether it was ready or not
  return answer.was_ready && answer.kind != Answer::Kind::ready;
}

Offers::Offers(const NodeConfig& config, const Peers& peers, SpareNodes& spares, const Plans& plans,
               Effects& effects)
    : config_(config),
      peers_(peers),
      all_are_spares_(spares.are_all()),
      spares_(spares.of(config.id)),
      plans_(plans),
      effects_(effects) {}

// --- questions ---

Offer& Offers::at(const PlanHash& plan) {
  Offer* offer = find(plan);
  assert(offer != nullptr);
  return *offer;
}

const Offer& Offers::at(const PlanHash& plan) const {
  const Offer* offer = find(plan);
  assert(offer != nullptr);
  return *offer;
}

const std::pair<const PlanHash, Offer>* Offers::offered_as(const Role& role) const {
  const auto offer = std::find_if(offers_.begin(), offers_.end(), [&](const auto& entry) {
    const std::vector<Role>& roles = entry.second.roles;
    return std::find(roles.begin(), roles.end(), role) != roles.end();
  });
  return offer == offers_.end() ? nullptr : &*offer;
}

bool Offers::can_open(const PlanHash& hash) const {
  const Offer* offer = find(hash);
  const KnownPlan* plan = plans_.known(hash);
  if (offer == nullptr || plan == nullptr || !offer->refused.empty()) return false;
  return std::all_of(plan->homes.begin(), plan->homes.end(), [&](NodeId home) {
    const Answer* answer = find_in(offer->answers, home);
    return answer != nullptr && answer->kind == Answer::Kind::ready;
  });
}

bool Offers::is_degraded(const PlanHash& hash) const {
  const KnownPlan* plan = plans_.known(hash);
  const Offer* offer = find(hash);
  if (plan == nullptr || offer == nullptr) return false;
  return std::any_of(plan->homes.begin(), plan->homes.end(), [&](NodeId home) {
    const Answer* answer = find_in(offer->answers, home);
    return answer != nullptr && out_of_action(*answer);
  });
}

bool Offers::is_known_to_hang(const PlanHash& plan, NodeId home) const {
  const Answer* answer = find_in(at(plan).answers, home);
  return answer != nullptr && answer->kind == Answer::Kind::hung;
}

size_t Offers::proposals() const {
  return static_cast<size_t>(std::count_if(offers_.begin(), offers_.end(), [&](const auto& entry) {
    return entry.second.proposed && plans_.contains(entry.first);
  }));
}

bool Offers::is_for(const Peer& peer, NodeId id, const Offer& offer) const {
  if (!peer.joined || peer.hello.compute_slots == 0) return false;
  return !may_ask_more(offer) || std::binary_search(offer.homes.begin(), offer.homes.end(), id) ||
         std::binary_search(spares_.begin(), spares_.end(), id);
}

bool Offers::may_ask_more(const Offer& offer) const {
  return !all_are_spares_ && !offer.is_for_all && !offer.homes.empty();
}

// --- the table ---

// If the table is full, offers whose plan is not held are forgotten: they have failed, and were
// kept only for their sentences.
Offer& Offers::add(const PlanHash& plan) {
  if (offers_.size() >= config_.limits.plans && !contains(plan))
    std::erase_if(offers_, [&](const auto& entry) { return !plans_.contains(entry.first); });
  return offers_[plan];
}

void Offers::propose(const PlanProposed& proposal) {
  Offer& offer = add(proposal.plan);
  offer.proposed = true;
  offer.model = proposal.model;
  offer.text = proposal.text;
  offer.homes = proposal.homes;
}

bool Offers::add_stand_in(StandIn stand_in) {
  const bool another_way = contains(stand_in.proposal.plan);  // to the same tiles
  Offer& offer = add(stand_in.proposal.plan);
  if (offer.roles.size() >= most_roles) offer.roles.erase(offer.roles.begin());
  offer.roles.push_back(std::move(stand_in.role));
  if (another_way) return false;
  offer.model = stand_in.proposal.model;
  offer.text = std::move(stand_in.proposal.text);
  offer.homes = std::move(stand_in.proposal.homes);
  return true;
}

void Offers::withdraw(const PlanHash& plan) {
  if (Offer* offer = find(plan)) offer->proposed = false;
}

void Offers::forget(const PlanHash& plan) {
  offers_.erase(plan);
  for (auto& [other, offer] : offers_)
    std::erase_if(offer.roles, [&](const Role& role) { return role.wanted == plan; });
}

// Stand-ins that were refused some time ago are forgotten and can be offered again, because the
// reason may have passed.
void Offers::forget_refused(const std::function<bool(const PlanHash&)>& has_frames) {
  const Time now = effects_.now();
  std::erase_if(offers_, [&](const auto& entry) {
    const Offer& offer = entry.second;
    return !offer.proposed && !offer.refused.empty() && !has_frames(entry.first) &&
           now - offer.refused_at >= config_.limits.unfit_for;
  });
}

bool Offers::stays_lost(NodeId node, const Answer& answer) const {
  return answer.kind == Answer::Kind::lost && peers_.is_away(node);
}

void Offers::begin_anew(Offer& offer) {
  std::erase_if(offer.answers,
                [&](const auto& entry) { return !stays_lost(entry.first, entry.second); });
  offer.declined.clear();
  offer.is_for_all = false;
  offer.reported_ready = false;
  offer.refused.clear();
  offer.full = false;
}

// --- to nodes ---

void Offers::offer_to(NodeId peer, const PlanHash& plan, Offer& offer) {
  if (distrusts(peer)) return;
  Answer& answer = offer.answers[peer];
  const uint64_t life = peers_.at(peer).hello.life;
  const uint64_t* holder = find_in(offer.holders, peer);
  const bool has_it = holder != nullptr && *holder == life;
  offer.holders[peer] = life;
  answer = {Answer::Kind::none, {}, effects_.now(), answer.was_ready, has_it};
  effects_.send(peer, PlanOffer{plan, offer.model, has_it ? std::string{} : offer.text});
}

// The plans of the application come first, because a node with a memory cap may have no room for a
// stand-in beside them.
void Offers::offer_all_to(NodeId peer) {
  const Peer& known = peers_.at(peer);
  assert(known.joined);
  for (const bool proposed : {true, false})
    for (auto& [hash, offer] : offers_)
      if (offer.proposed == proposed && is_for(known, peer, offer)) offer_to(peer, hash, offer);
}

void Offers::ask_more(const PlanHash& plan, Offer& offer) {
  assert(may_ask_more(offer));
  offer.is_for_all = true;
  for (const auto& [id, peer] : peers_)
    if (is_for(peer, id, offer) && !offer.answers.contains(id)) offer_to(id, plan, offer);
}

// --- answers ---

void Offers::impair(const PlanHash& plan, Offer& offer, NodeId home, const std::string& why) {
  if (!offer.reported_ready || can_open(plan)) return;
  offer.reported_ready = false;
  effects_.report(Report::Kind::plan_impaired, {}, home, why, plan);
}

// A node says when its hang is over, but only of plans that it holds. It is asked for others again,
// unless its answer is that it hangs.
void Offers::suspend(NodeId node, const PlanHash& plan, const Answer& answer) {
  assert(out_of_action(answer));
  const auto suspend_in = [&](const PlanHash& each) {
    Offer* offer = find(each);
    if (offer == nullptr) return;
    offer->answers[node] = answer;
    impair(each, *offer, node, answer.why);
  };
  Offer* offer = find(plan);
  if (offer == nullptr || distrusts(node)) return;
  suspend_in(plan);
  const bool hangs = answer.kind == Answer::Kind::hung;
  for (const Role& role : offer->roles)
    if (!hangs || may_hold(node, role.wanted)) suspend_in(role.wanted);
}

bool Offers::may_hold(NodeId node, const PlanHash& plan) const {
  const Offer* offer = find(plan);
  return node == config_.id || (offer != nullptr && offer->holders.contains(node));
}

// A node that refuses a stand-in in which it would inherit tiles is no heir any more, but can still
// do its own tiles. A node that refuses a stand-in in which it inherits nothing is no home of the
// wanted plan any more. The refusal of a node without a tile in the wanted plan changes nothing.
void Offers::decline(NodeId node, const PlanHash& hash, const Answer& answer, bool asked_at_once) {
  Offer* offer = find(hash);
  if (offer == nullptr || distrusts(node)) return;
  offer->answers[node] = answer;
  impair(hash, *offer, node, answer.why);
  if (!asked_at_once) decline_inheritance(node, *offer, answer);
  for (const Role& role : offer->roles) {
    Offer* wanted = find(role.wanted);
    const KnownPlan* plan = plans_.known(role.wanted);
    if (wanted == nullptr || inherits(role, node)) continue;
    if (plan != nullptr && !plan->is_home(node)) continue;
    wanted->answers[node] = answer;
    impair(role.wanted, *wanted, node, answer.why);
  }
}

void Offers::decline_inheritance(NodeId node, const Offer& offer, const Answer& answer) {
  for (const Role& role : offer.roles)
    if (Offer* wanted = find(role.wanted); wanted != nullptr && inherits(role, node))
      wanted->declined[node] = answer;
}

void Offers::accept_inheritance(NodeId node, const Offer& offer) {
  for (const Role& role : offer.roles)
    if (Offer* wanted = find(role.wanted); wanted != nullptr && inherits(role, node))
      wanted->declined.erase(node);
}

bool Offers::lose(NodeId node, const PlanHash& hash, Offer& offer, const std::string& why) {
  offer.declined.erase(node);
  Answer* answer = find_in(offer.answers, node);
  if (answer == nullptr || answer->kind == Answer::Kind::distrusted) return false;
  *answer = {Answer::Kind::lost, why, effects_.now(), answer->was_ready};
  const KnownPlan* plan = plans_.known(hash);
  if (plan == nullptr || !plan->is_home(node)) return false;
  impair(hash, offer, node, why);
  return true;
}

// --- trust ---

Answer Offers::no_trust_in(NodeId node) const {
  assert(distrusts(node));
  return {Answer::Kind::distrusted, peers_.name_of(node) + " is trusted no more", effects_.now(),
          true};
}

bool Offers::distrust(NodeId node) { return distrusted_.insert(node).second; }

}  // namespace shingle
