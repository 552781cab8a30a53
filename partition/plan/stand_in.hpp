// Stand-in: a plan with the same tiles, some of which have another home. Its results equal those of
// the plan bit for bit, because the work of a tile does not depend on the node.
#pragma once

#include <vector>

#include "partition/plan/plan.hpp"

namespace shingle {

struct Inheritance {
  NodeId lost;                // a home that cannot compute its tiles
  std::vector<NodeId> heirs;  // the nodes that may take them: ascending, at least one
  friend bool operator==(const Inheritance&, const Inheritance&) = default;
};

// Heirs get tiles in proportion to the work that the plan gives them already, because the planner
// chose it to fit them. An heir without work counts as an average home. The same plan and losses
// give the same stand-in on every node.
Plan stand_in(Plan plan, const std::vector<Inheritance>& losses);

}  // namespace shingle
