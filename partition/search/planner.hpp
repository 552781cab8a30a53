// The planner: from model, cluster and goal to a plan.
#pragma once

#include "partition/cluster/cluster.hpp"
#include "partition/plan/plan.hpp"

namespace shingle {

struct GridCut {
  int32_t rows = 1, columns = 1;
};

struct PlanOptions {
  std::vector<LayerId>
      cut_after;  // a block ends after each of these; what needs the whole map always stands alone
  GridCut grid;   // of every block that can be tiled; shrunk where the map is too small
  Granule granule{};  // none: what the block's Winograd layers ask for
  WinogradUse winograd = WinogradUse::where_faster;
};

// The network cut as told. Tiles go to the nodes in contiguous runs, by speed. REQUIRES: at least
// one node.
Plan grid_plan(const Model& model, const Cluster& cluster, const PlanOptions& options);

// The best plan for the goal that a bounded search with simulated candidates finds; never worse
// than everything on one node. Deterministic: the same input gives the same plan on any machine.
// An error names the smallest cap that it found a plan for.
Result<Plan> make_plan(const Model& model, const Cluster& cluster, const Goal& goal = {});

// Everything in one tile on one node.
Plan single_plan(const Model& model, NodeId node, WinogradUse winograd = WinogradUse::where_faster);

}  // namespace shingle
