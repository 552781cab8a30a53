// A stand-in: a plan with the same tiles, some of which have another home. What it computes is what
// the plan computes, bit for bit, because a tile is the same work wherever it is done.
#pragma once

#include <vector>

#include "partition/plan/plan.hpp"

namespace shingle {

struct Inheritance {
  NodeId lost;                // a home that cannot compute its tiles ...
  std::vector<NodeId> heirs;  // ... and who may: ascending, at least one
  friend bool operator==(const Inheritance&, const Inheritance&) = default;
};

// Heirs get tiles in proportion to what the plan gives them to do already (the planner knew why);
// an heir without any gets what the average home has. The same plan and losses give the same
// stand-in everywhere.
Plan stand_in(Plan plan, const std::vector<Inheritance>& losses);

}  // namespace shingle
