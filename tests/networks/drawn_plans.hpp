// Plans with everything that the planner's own have, but drawn at random: bands, columns, stairs
// and tiles of channels, shares as uneven as can be, borders on the granule and off it, nodes left
// out of a block, layers in either of the planner's orders. Sound, and seldom any good.
#pragma once

#include "partition/cluster/cluster.hpp"
#include "partition/plan/rotation.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::networks {

// REQUIRES: at least one node.
Plan drawn_plan(Random& random, const Model& model, const Cluster& cluster);

// Two or three plans (fewer where there are fewer nodes) for groups of nodes side by side.
Rotation drawn_rotation(Random& random, const Model& model, const Cluster& cluster);

// What the planner finds for this goal, then what it finds from there on once each node computes
// `speed_ups` times as fast. The first alone where the second search fails.
Result<std::vector<Rotation>> planned_twice(const Model& model, const Cluster& cluster,
                                            const Goal& goal, const std::vector<double>& speed_ups);

// What plans are made of.
struct PlanKinds {
  int64_t blocks = 0, tiles = 0;
  int64_t channel_tiles = 0;    // that put out some of a map's channels
  int64_t winograd_layers = 0;  // computed so
  PlanKinds& operator+=(const PlanKinds& more);
};
PlanKinds kinds_of(const Plan& plan, const Model& model);

}  // namespace shingle::networks
