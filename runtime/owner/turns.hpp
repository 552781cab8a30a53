// Turns: a rotation as an owner uses it: which of its plans are ready, and which one the next frame
// takes. A plan that lost a home is left out until it is ready again. While no plan is ready all of
// them take turns, and frames wait or take stand-ins.
#pragma once

#include <memory>
#include <vector>

#include "partition/plan/rotation.hpp"
#include "runtime/protocol/event.hpp"

namespace shingle {

class Turns {
 public:
  using Loaded = std::shared_ptr<const LoadedPlan>;

  // REQUIRES: a rotation of at least one plan, sound and made for `model`.
  Turns(const Model& model, Rotation rotation);

  const std::vector<Loaded>& plans() const { return plans_; }  // one a turn
  Rotation rotation() const;
  bool has(const PlanHash& plan) const;

  // As the owner's node reports it. Nothing happens for a plan that is not in the rotation.
  void say_ready(const PlanHash& plan, bool ready);
  bool all_ready() const;
  // Which of the plans that both rotations have are ready.
  void take_over(const Turns& earlier);

  const Loaded& next();  // the plan of the next frame

 private:
  std::vector<Loaded> plans_;
  std::vector<int32_t> shares_;
  std::vector<bool> ready_;
  Dealer dealer_;
};

}  // namespace shingle
