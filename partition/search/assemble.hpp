// Assembly: makes a plan with tiles, windows, homes and prediction from cuts in the layer order.
#pragma once

#include "partition/search/layer_order.hpp"
#include "partition/search/planner.hpp"

namespace shingle {

// Positions [begin, end) of the order as one block cut by a grid (reduced if it does not fit).
struct BlockCut {
  size_t begin = 0, end = 0;
  GridCut grid;
  friend bool operator==(const BlockCut& a, const BlockCut& b) {
    return a.begin == b.begin && a.end == b.end && a.grid.rows == b.grid.rows &&
           a.grid.columns == b.grid.columns;
  }
};

struct AssembleOptions {
  Granule granule{};
  WinogradUse winograd = WinogradUse::where_faster;
};

// A cut whose layers' outputs nobody reads is joined to its neighbour. A block of one tile goes to
// the node with the least work so far. REQUIRES: the cuts are consecutive and cover the order; at
// least one node.
Plan assemble(const Model& model, const Cluster& cluster, const LayerOrder& order,
              const std::vector<BlockCut>& cuts, AssembleOptions options = {});

}  // namespace shingle
