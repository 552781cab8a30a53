#include "runtime/node/owner/stand_ins.hpp"

#include <cassert>

namespace shingle {

StandIns::StandIns(Plans& plans, const Offers& offers, const Heirs& heirs)
    : plans_(plans), offers_(offers), heirs_(heirs) {}

// The hopeful stand-in counts on nodes that have not answered yet. The one without them is offered
// beside it, and the first that is ready is used.
std::optional<PlanHash> StandIns::plan_to_open(const PlanHash& wanted) {
  if (offers_.can_open(wanted)) return wanted;
  if (!offers_.is_degraded(wanted) || !offers_.at(wanted).refused.empty()) return {};
  std::optional<PlanHash> usable;
  for (const Heirs::Trust trust : {Heirs::Trust::hopeful, Heirs::Trust::certain}) {
    const auto lost = heirs_.losses(wanted, trust);
    if (!lost || lost->empty()) continue;
    const PlanHash hash = plan_for({wanted, *lost});
    if (!usable && offers_.can_open(hash)) usable = hash;
  }
  return usable;
}

// A stand-in is derived once for the same losses. It is offered again if it had to make way
// meanwhile.
PlanHash StandIns::plan_for(const Role& role) {
  if (const auto* offered = offers_.offered_as(role)) {
    plans_.use(offered->first);  // it is wanted
    return offered->first;
  }
  for (const StandIn& other : due_)
    if (other.role == role) return other.proposal.plan;
  const KnownPlan* wanted = plans_.known(role.wanted);
  assert(wanted != nullptr);
  const Plan plan = stand_in(wanted->loaded->plan, role.losses);
  const PlanHash hash = hash_of(plan);
  due_.push_back({role, {hash, plan.model, print(plan), homes(plan)}});
  return hash;
}

std::optional<StandIn> StandIns::take_due() {
  if (due_.empty()) return {};
  std::optional<StandIn> next = std::move(due_.front());
  due_.pop_front();
  return next;
}

}  // namespace shingle
