// Texts of plans that are not known yet. A text may be anybody's, and only loading it shows whether
// it is the plan's: so each text that differs waits for its turn, and who gave one that is none
// hears so alone.
#include <algorithm>

#include "runtime/node/node_state.hpp"

namespace shingle {

// One text of each peer at most: what it says now replaces what it said.
void Node::State::take_text(const PlanHash& hash, PlanEntry& entry, OfferedText offered) {
  const NodeId from = offered.from.front();
  take_text_back(entry, from);
  for (OfferedText& other : entry.texts)
    if (other.text == offered.text && other.model == offered.model)
      return other.from.push_back(from);
  if (entry.texts.empty()) begin_loading(entry, LoadPlan{hash, offered.model, offered.text});
  entry.texts.push_back(std::move(offered));
}

// The first is being loaded and stays until that is over.
void Node::State::take_text_back(PlanEntry& entry, NodeId from) {
  for (OfferedText& offered : entry.texts) std::erase(offered.from, from);
  if (entry.texts.empty()) return;
  entry.texts.erase(std::remove_if(entry.texts.begin() + 1, entry.texts.end(),
                                   [](const OfferedText& offered) { return offered.from.empty(); }),
                    entry.texts.end());
}

// Who gave no text, as it was here when they last heard, is asked for it when none is left.
void Node::State::text_failed(const PlanHash& hash, const std::string& why) {
  PlanEntry& entry = plans.at(hash);
  std::vector<NodeId> liars;
  if (!entry.texts.empty()) {
    liars = std::move(entry.texts.front().from);
    entry.texts.erase(entry.texts.begin());
  }
  for (const NodeId liar : liars)
    if (std::erase(entry.askers, liar) > 0) send(liar, PlanReady{hash, false, why});
  if (!entry.texts.empty()) {
    begin_loading(entry, LoadPlan{hash, entry.texts.front().model, entry.texts.front().text});
  } else {
    for (const NodeId asker : entry.askers)
      send(asker, PlanReady{hash, false, "it no longer holds the plan", {}, true});
    plans.erase(hash);
  }
  Offer* own = find_in(offers, hash);
  const bool offered = std::find(liars.begin(), liars.end(), config.id) != liars.end();
  if (!offered || own == nullptr) return;
  decline_inheritance(config.id, *own, {Answer::Kind::unfit, why, now, true});
  refuse_plan(hash, *own, why);
  open_next();  // on a stand-in in which this node inherits nothing
}

}  // namespace shingle
