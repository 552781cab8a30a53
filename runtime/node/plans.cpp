#include "runtime/node/plans.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace shingle {

PlanReady not_now(const PlanHash& plan, std::string why) {
  return {.plan = plan, .ready = false, .why_not = std::move(why), .lost = {}, .again = true};
}

Plans::Plans(const NodeConfig& config, const Peers& peers, const Health& health, Effects& effects)
    : config_(config), peers_(peers), health_(health), effects_(effects) {}

Plans::Entry& Plans::at(const PlanHash& plan) {
  Entry* entry = find_in(entries_, plan);
  assert(entry != nullptr);
  return *entry;
}

KnownPlan* Plans::known(const PlanHash& plan) {
  Entry* entry = find_in(entries_, plan);
  return entry == nullptr || !entry->known ? nullptr : &*entry->known;
}

const KnownPlan* Plans::known(const PlanHash& plan) const {
  return const_cast<Plans*>(this)->known(plan);
}

std::vector<uint64_t> Plans::loaded_prefixes() const {
  std::vector<uint64_t> prefixes;
  for (const auto& [hash, entry] : entries_)
    if (entry.known) prefixes.push_back(prefix64(hash));
  return prefixes;
}

// --- the table ---

Plans::Entries::iterator Plans::oldest(const MayMakeWay& may_make_way) {
  auto found = entries_.end();
  for (auto each = entries_.begin(); each != entries_.end(); ++each)
    if (each->second.texts.empty() && may_make_way(each->first, each->second.used_at) &&
        (found == entries_.end() || each->second.used_at < found->second.used_at))
      found = each;
  return found;
}

Plans::Room Plans::hold(const PlanHash& plan, const MayMakeWay& may_make_way) {
  Room room{.found = true};
  if (!contains(plan) && entries_.size() >= config_.limits.plans) {
    const auto leaving = oldest(may_make_way);
    if (leaving == entries_.end()) return {};
    room.given_up = leaving->first;
    for (const std::vector<NodeId>* owners : {&leaving->second.askers, &leaving->second.told})
      for (const NodeId owner : *owners)
        effects_.send(owner, not_now(leaving->first, "it gave the plan up for another"));
    entries_.erase(leaving);
  }
  entries_[plan].used_at = effects_.now();
  return room;
}

void Plans::use(const PlanHash& plan) {
  if (Entry* entry = find_in(entries_, plan)) entry->used_at = effects_.now();
}

void Plans::drop_unless_awaited(const PlanHash& plan) {
  const Entry* held = find_in(entries_, plan);
  if (held == nullptr || !held->texts.empty()) return;
  if (held->askers.empty() && held->told.empty()) entries_.erase(plan);
}

// --- offers to this node ---

void Plans::offered(NodeId from, const PlanOffer& offer) {
  Entry& entry = at(offer.plan);
  std::erase(entry.told, from);
  if (std::find(entry.askers.begin(), entry.askers.end(), from) == entry.askers.end())
    entry.askers.push_back(from);
  if (const auto refusal = health_.refusal(offer.plan); entry.known && refusal)
    return effects_.send(from, *refusal);
  if (entry.known) return answer_askers();
  if (entry.overdue) return effects_.send(from, not_now(offer.plan, packing_hangs()));
  if (!offer.text.empty()) take_text(offer.plan, {offer.text, offer.model, {from}});
}

// Strips must not be sent to a home that this node cannot reach.
bool Plans::is_unreachable(const KnownPlan& plan) const {
  return plan.is_home(config_.id) && std::any_of(plan.homes.begin(), plan.homes.end(),
                                                 [&](NodeId home) { return peers_.is_away(home); });
}

void Plans::answer_askers() {
  for (auto& [hash, entry] : entries_) {
    if (!entry.known) continue;
    const bool unreachable = is_unreachable(*entry.known);
    if (unreachable || !health_.works()) continue;
    for (const NodeId asker : entry.askers) {
      effects_.send(asker, PlanReady{hash, true, {}});
      entry.told.push_back(asker);
    }
    entry.askers.clear();
  }
}

void Plans::tell_of_homes_away() {
  assert(health_.works());
  for (const auto& [hash, entry] : entries_) {
    if (!entry.known || !is_unreachable(*entry.known)) continue;
    for (const NodeId home : entry.known->homes) {
      if (!peers_.is_away(home)) continue;
      const PlanReady answer{hash, false, "it does not reach " + peers_.name_of(home), home};
      for (const NodeId asker : entry.askers) effects_.send(asker, answer);
    }
  }
}

void Plans::refuse_askers(const PlanHash& plan) {
  if (const auto refusal = health_.refusal(plan))
    for (const NodeId asker : at(plan).askers) effects_.send(asker, *refusal);
}

void Plans::refuse_all_askers() {
  for (const auto& [hash, entry] : entries_) refuse_askers(hash);
}

void Plans::refuse_askers_of_loaded() {
  for (const auto& [hash, entry] : entries_)
    if (entry.known) refuse_askers(hash);
}

// This concerns plans without a tile here, too: an owner may want this node as a spare for them.
void Plans::withdraw(PlanReady answer) {
  assert(!answer.ready);
  for (auto& [hash, entry] : entries_) {
    if (!entry.known) continue;
    for (const NodeId owner : entry.told) {
      answer.plan = hash;
      effects_.send(owner, answer);
      entry.askers.push_back(owner);
    }
    entry.told.clear();
  }
}

// Strips to or from the lost home may be lost, too.
void Plans::lost(NodeId peer) {
  assert(peer != config_.id);
  for (auto& [hash, entry] : entries_) {
    std::erase(entry.askers, peer);
    std::erase(entry.told, peer);
    take_text_back(entry, peer);
    if (!entry.known || !entry.known->is_home(config_.id) || !entry.known->is_home(peer)) continue;
    for (const NodeId owner : entry.told) {
      effects_.send(owner, PlanReady{hash, false, "it lost " + peers_.name_of(peer), peer});
      entry.askers.push_back(owner);
    }
    entry.told.clear();
  }
}

// --- texts ---

// There is at most one text of each peer: a new one replaces the one before.
void Plans::take_text(const PlanHash& plan, OfferedText offered) {
  Entry& entry = at(plan);
  assert(!entry.known);
  assert(offered.from.size() == 1);
  const NodeId from = offered.from.front();
  take_text_back(entry, from);
  for (OfferedText& other : entry.texts)
    if (other.text == offered.text && other.model == offered.model)
      return other.from.push_back(from);
  entry.texts.push_back(std::move(offered));
  if (entry.texts.size() == 1) load(plan, entry);
}

// The first text is being loaded, so it stays until that is over.
void Plans::take_text_back(Entry& entry, NodeId from) {
  for (OfferedText& offered : entry.texts) std::erase(offered.from, from);
  if (entry.texts.empty()) return;
  entry.texts.erase(std::remove_if(entry.texts.begin() + 1, entry.texts.end(),
                                   [](const OfferedText& offered) { return offered.from.empty(); }),
                    entry.texts.end());
}

void Plans::load(const PlanHash& plan, Entry& entry) {
  assert(!entry.texts.empty());
  entry.loading_since = health_.uptime();
  effects_.act(LoadPlan{plan, entry.texts.front().model, entry.texts.front().text});
}

bool Plans::awaits(const PlanHash& plan) const {
  const Entry* entry = find_in(entries_, plan);
  return entry != nullptr && !entry->known;
}

bool Plans::take_loaded(const PlanHash& plan, std::shared_ptr<const LoadedPlan> loaded) {
  assert(awaits(plan));
  assert(loaded != nullptr);
  Entry& entry = at(plan);
  entry.known = know(std::move(loaded), config_.id);
  entry.texts.clear();
  return std::exchange(entry.overdue, false);
}

std::vector<NodeId> Plans::text_failed(const PlanHash& plan, const std::string& why) {
  assert(awaits(plan));
  Entry& entry = at(plan);
  std::vector<NodeId> givers;
  if (!entry.texts.empty()) {
    givers = std::move(entry.texts.front().from);
    entry.texts.erase(entry.texts.begin());
  }
  for (const NodeId giver : givers)
    if (std::erase(entry.askers, giver) > 0) effects_.send(giver, PlanReady{plan, false, why});
  if (!entry.texts.empty()) {
    load(plan, entry);
    return givers;
  }
  // The other askers gave no text, because this node held it when they offered the plan. They are
  // asked for it.
  for (const NodeId asker : entry.askers)
    effects_.send(asker, not_now(plan, "it no longer holds the plan"));
  entries_.erase(plan);
  return givers;
}

void Plans::loading_failed(const PlanHash& plan, const std::string& why) {
  assert(awaits(plan));
  for (const NodeId asker : at(plan).askers) effects_.send(asker, not_now(plan, why));
  entries_.erase(plan);
}

std::string Plans::packing_hangs() const {
  return "it has been loading the plan for more than " +
         std::to_string(config_.limits.packing_allowed / std::chrono::seconds(1)) +
         " s: its disk or its executor hangs";
}

// Askers stay askers, so they hear if the plan is loaded after all.
std::optional<PlanHash> Plans::next_overdue() {
  for (auto& [hash, entry] : entries_) {
    if (entry.texts.empty() || entry.overdue ||
        health_.uptime() - entry.loading_since < config_.limits.packing_allowed)
      continue;
    entry.overdue = true;
    for (const NodeId asker : entry.askers) effects_.send(asker, not_now(hash, packing_hangs()));
    return hash;
  }
  return {};
}

}  // namespace shingle
