// Random plans with every feature of the planner's plans: bands, columns, stairs and tiles of
// channels, very uneven shares, borders on and off the granule, nodes left out of a block, both
// layer orders of the planner. They are sound but rarely good.
#pragma once

#include "partition/cluster/cluster.hpp"
#include "partition/plan/rotation.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::networks {

// REQUIRES: at least one node.
Plan drawn_plan(Random& random, const Model& model, const Cluster& cluster);

// Two or three plans (fewer if there are fewer nodes) for disjoint groups of nodes.
Rotation drawn_rotation(Random& random, const Model& model, const Cluster& cluster);

// The rotation that the planner finds for this goal, and the rotation that it finds from there when
// each node computes `speed_ups` times as fast. Only the first if the second search fails.
Result<std::vector<Rotation>> planned_twice(const Model& model, const Cluster& cluster,
                                            const Goal& goal, const std::vector<double>& speed_ups);

// Counts of features in plans.
struct PlanKinds {
  int64_t blocks = 0, tiles = 0;
  int64_t channel_tiles = 0;    // with only some of a map's channels
  int64_t winograd_layers = 0;  // layers computed with Winograd
  PlanKinds& operator+=(const PlanKinds& more);
};
PlanKinds kinds_of(const Plan& plan, const Model& model);

}  // namespace shingle::networks
