// The planner of the foundation: chooses block cuts and grids for equal or unequal nodes by a
// simple cost.
#pragma once

#include "partition/node_profile.hpp"
#include "partition/plan.hpp"

namespace shingle {

struct ClusterNode {
  NodeId id;
  double gflops = 4.0;        // effective, on convolutions
  double link_mbps = 1000.0;  // of its own port, each way
  int64_t memory_bytes = 0;   // 0: no cap
};

struct Cluster {
  std::vector<ClusterNode> nodes;  // those that compute, ascending ids
};

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

// Chooses cuts and grid: the fewest predicted nanoseconds per frame over a bounded set of
// candidates. Deterministic.
Result<Plan> make_plan(const Model& model, const Cluster& cluster,
                       WinogradUse winograd = WinogradUse::where_faster);

// Everything in one tile on one node.
Plan single_plan(const Model& model, NodeId node, WinogradUse winograd = WinogradUse::where_faster);

}  // namespace shingle
