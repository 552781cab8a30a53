// Weights that changed in memory: nobody else could tell, so the node has its own looked through
// and judges itself, as in node_hang.cpp.
//
//   sound --look, with a beat--> damaged: computes nothing more, says so to every owner, gives back
//     ^                             |     what it borrowed, has its weights packed again
//     '------- packed again --------'        packing that fails is tried again, later each time
//
// What it computed since the last look may be wrong: frames under way are begun again without it.
// Memory that fails again and again is packed `repairs_tried` times, then left alone. Packing that
// fails, for want of memory say, is no such sign.
#include <algorithm>

#include "runtime/node/node_state.hpp"

namespace shingle {

namespace {

constexpr int looks = 60;  // until all weights were looked at
constexpr uint32_t repairs_tried = 3;
constexpr uint32_t most_doublings = 6;  // of the pause between two attempts to pack

}  // namespace

void Node::State::look_at_weights() {
  if (pack_at && now >= *pack_at) pack_weights();
  const Duration round = config.limits.weights_looked_through;
  if (round <= Duration::zero() || config.limits.compute_slots == 0 || is_damaged()) return;
  if (!weights_seen) weights_seen = now;
  const Duration since = now - *weights_seen;
  if (since < round / looks) return;
  weights_seen = now;
  act(CheckWeights{
      std::min(1.0, static_cast<double>(since.count()) / static_cast<double>(round.count()))});
}

void Node::State::on(const WeightsDamaged& event) {
  if (is_damaged()) return;
  packing = repairs++ < repairs_tried;
  damage = name_of(config.id) + " computes nothing " + (packing ? "for now" : "any more") + ": " +
           event.why;
  report(Report::Kind::weights_damaged, {}, config.id, damage);
  for (Underway& tile : underway) tile.tainted = true;
  give_all_back(damage);
  for (const auto& [hash, entry] : plans)
    if (hangs() && entry.known) refuse_askers(hash, entry);  // they wait for it to come back
  withdraw(not_sound({}));
  put_self_aside(packing ? Answer::Kind::full : Answer::Kind::unfit, damage);
  if (packing) pack_weights();
}

void Node::State::pack_weights() {
  packing = true;
  pack_at.reset();
  act(PackAgain{});
}

void Node::State::on(const PackedAgain& event) {
  if (!packing) return;
  packing = false;
  lacks_memory = !event.why_not.empty() && event.again;
  if (event.why_not.empty()) {
    damage.clear();
    pack_failures = 0;
    weights_seen = now;
    report(Report::Kind::weights_packed, {}, config.id,
           name_of(config.id) + " has packed its weights again");
    return be_ready_again();
  }
  pack_at = now + config.limits.unfit_for * (1 << std::min(pack_failures, most_doublings));
  if (pack_failures++ == 0) {
    damage += "; they cannot be packed again: " + event.why_not;
    report(Report::Kind::weights_damaged, {}, config.id, damage);
  }
  for (const auto& [hash, entry] : plans) refuse_askers(hash, entry);
  put_self_aside(lacks_memory ? Answer::Kind::full : Answer::Kind::unfit, damage);
}

bool Node::State::may_be_sound_soon() const { return packing || lacks_memory; }

// To whoever would count on this node. While there is hope it will be asked again. A model's file
// that is no longer what it was is no hope, though this node goes on trying to read it.
PlanReady Node::State::not_sound(const PlanHash& hash) const {
  return {.plan = hash,
          .ready = false,
          .why_not = damage,
          .lost = {},
          .again = may_be_sound_soon(),
          .damaged = !may_be_sound_soon()};
}

void Node::State::refuse_askers(const PlanHash& hash, const PlanEntry& entry) {
  if (const auto refusal = out_of_order(hash))
    for (const NodeId asker : entry.askers) send(asker, *refusal);
}

bool Node::State::is_damaged() const { return !damage.empty(); }

}  // namespace shingle
