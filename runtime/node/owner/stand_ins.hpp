// StandIns: which plan a frame is opened on: the wanted one, or a stand-in for it while homes of it
// are out of action. A stand-in has the same tiles with other homes, so the outcome is the same,
// bit for bit. It is a plan as any other: offered, loaded, and ready before a frame opens on it.
#pragma once

#include <deque>

#include "runtime/node/owner/heirs.hpp"

namespace shingle {

class StandIns {
 public:
  // REQUIRES: all outlive me.
  StandIns(Plans& plans, const Offers& offers, const Heirs& heirs);

  // The wanted plan if it can be opened, else a stand-in that can; none: not yet. A stand-in that
  // could help and is not offered becomes due.
  std::optional<PlanHash> plan_to_open(const PlanHash& wanted);

  // Those that are to be offered before the step ends.
  bool has_due() const { return !due_.empty(); }
  std::optional<StandIn> take_due();

 private:
  PlanHash plan_for(const Role& role);

  Plans& plans_;
  const Offers& offers_;
  const Heirs& heirs_;
  std::deque<StandIn> due_;
};

}  // namespace shingle
