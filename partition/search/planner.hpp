// The planner: makes a plan from model, cluster and goal.
#pragma once

#include "partition/cluster/cluster.hpp"
#include "partition/plan/plan.hpp"

namespace shingle {

struct GridCut {
  int32_t rows = 1, columns = 1;
};

struct PlanOptions {
  std::vector<LayerId> cut_after;  // a block ends after each of these; layers that need the whole
                                   // map are always separate
  GridCut grid;       // of every block that can be tiled; reduced if the map is too small
  Granule granule{};  // none: the granule that the block's Winograd layers need
  WinogradUse winograd = WinogradUse::where_faster;
};

// The network cut as `options` says. Nodes get contiguous runs of tiles in proportion to their
// speeds. REQUIRES: at least one node.
Plan grid_plan(const Model& model, const Cluster& cluster, const PlanOptions& options);

// The best plan for the goal that a bounded search with simulated candidates finds; never worse
// than everything on one node. Deterministic: the same input gives the same plan on every machine.
// An error names the smallest cap for which a plan was found.
Result<Plan> make_plan(const Model& model, const Cluster& cluster, const Goal& goal = {});

// All layers in one tile on one node.
Plan single_plan(const Model& model, NodeId node, WinogradUse winograd = WinogradUse::where_faster);

}  // namespace shingle
