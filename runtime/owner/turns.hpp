// Turns: a rotation as an owner uses it: which of its plans are ready, and which one the next frame
// takes. A plan that lost a home is left out until it is ready again; as long as none is ready all
// are dealt, and frames wait or take stand-ins.
#pragma once

#include <memory>
#include <vector>

#include "partition/plan/rotation.hpp"
#include "runtime/protocol/event.hpp"

namespace shingle {

class Turns {
 public:
  using Loaded = std::shared_ptr<const LoadedPlan>;

  // REQUIRES: sound, made for `model`.
  Turns(const Model& model, Rotation rotation);

  const std::vector<Loaded>& plans() const { return plans_; }  // one a turn
  bool has(const PlanHash& plan) const;

  // As the owner's node reports it. A plan that is none of them is nobody's business here.
  void say_ready(const PlanHash& plan, bool ready);
  bool all_ready() const;
  // What was known of plans that both have.
  void take_over(const Turns& earlier);

  const Loaded& next();

 private:
  std::vector<Loaded> plans_;
  std::vector<bool> ready_;
  Dealer dealer_;
};

}  // namespace shingle
