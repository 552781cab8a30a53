// Plans whose weights are packed for longer than packing ever takes: a disk that does not answer,
// an accelerator that is gone. Tiles go on meanwhile, on plans that are packed already.
//
//   LoadPlan ---- packing_allowed ----> overdue: whoever asked hears "not now", and so does whoever
//      |                                |        asks from now on
//      '---------- PlanLoaded <---------'        it did come: whoever asked hears "ready"
#include "runtime/node/node_state.hpp"

namespace shingle {

void Node::State::begin_loading(PlanEntry& entry, LoadPlan order) {
  entry.loading_since = watched;
  act(std::move(order));
}

void Node::State::end_loading(PlanEntry& entry) {
  entry.texts.clear();
  entry.overdue = false;
}

// For want of memory, say: the text is as good as it was, and whoever asked may ask again.
void Node::State::loading_failed(const PlanHash& hash, const std::string& why) {
  for (const NodeId asker : plans.at(hash).askers)
    send(asker, PlanReady{.plan = hash, .ready = false, .why_not = why, .lost = {}, .again = true});
  plans.erase(hash);
  Offer* offer = find_in(offers, hash);
  if (offer == nullptr) return;
  decline_inheritance(config.id, *offer, {Answer::Kind::full, why, now, true});
  refuse_plan(hash, *offer, why);
  open_next();  // on a stand-in in which this node inherits nothing
}

void Node::State::watch_packing() {
  for (auto& [hash, entry] : plans)
    if (!entry.texts.empty() && !entry.overdue &&
        watched - entry.loading_since >= config.limits.packing_allowed)
      give_up_on_packing(hash, entry);
}

std::string Node::State::packing_hangs() const {
  return "it has been loading the plan for more than " +
         std::to_string(config.limits.packing_allowed / std::chrono::seconds(1)) +
         " s: its disk or its executor hangs";
}

// They stay askers: should it come after all, they hear of it.
void Node::State::give_up_on_packing(const PlanHash& hash, PlanEntry& entry) {
  entry.overdue = true;
  const std::string why = packing_hangs();
  for (const NodeId asker : entry.askers)
    send(asker, PlanReady{.plan = hash, .ready = false, .why_not = why, .lost = {}, .again = true});
  if (Offer* offer = find_in(offers, hash)) return refuse_plan(hash, *offer, why);
  report(Report::Kind::plan_refused, {}, config.id,
         "plan " + short_name(hash) + " cannot be served as yet: " + why, hash);
}

}  // namespace shingle
