// The cost of the same work on a machine that is slower by a factor.
#pragma once

#include "partition/cluster/node_profile.hpp"

namespace shingle {

inline WorkCost scaled(WorkCost cost, double factor) {
  cost.ns_per_mac *= factor;
  cost.ns_per_element *= factor;
  cost.ns_per_weight *= factor;
  cost.ns_per_call *= factor;
  return cost;
}

}  // namespace shingle
