#include "runtime/owner/turns.hpp"

#include <algorithm>
#include <cassert>

#include "runtime/protocol/load_plan.hpp"

namespace shingle {

Turns::Turns(const Model& model, Rotation rotation)
    : ready_(rotation.size(), false), dealer_(rotation) {
  assert(!rotation.empty());
  for (Turn& turn : rotation) {
    shares_.push_back(turn.share);
    plans_.push_back(std::make_shared<const LoadedPlan>(trusted_plan(model, std::move(turn.plan))));
  }
}

Rotation Turns::rotation() const {
  Rotation rotation;
  for (size_t i = 0; i < plans_.size(); ++i)
    rotation.push_back({.plan = plans_[i]->plan, .share = shares_[i]});
  return rotation;
}

bool Turns::has(const PlanHash& plan) const {
  return std::any_of(plans_.begin(), plans_.end(),
                     [&](const Loaded& each) { return each->hash == plan; });
}

void Turns::say_ready(const PlanHash& plan, bool ready) {
  for (size_t i = 0; i < plans_.size(); ++i)
    if (plans_[i]->hash == plan) ready_[i] = ready;
}

bool Turns::all_ready() const {
  return std::all_of(ready_.begin(), ready_.end(), [](bool each) { return each; });
}

void Turns::take_over(const Turns& earlier) {
  for (size_t i = 0; i < earlier.plans_.size(); ++i)
    say_ready(earlier.plans_[i]->hash, earlier.ready_[i]);
}

const Turns::Loaded& Turns::next() {
  const size_t turn = dealer_.next(ready_);
  assert(turn < plans_.size());
  return plans_[turn];
}

}  // namespace shingle
