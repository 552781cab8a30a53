// What a block would cost, without making the plan around it: blocks of one grid family leave each
// node with about the same territory of every map, so what a block must fetch hardly depends on how
// the blocks before it were cut.
#pragma once

#include <map>

#include "partition/assemble.hpp"
#include "partition/candidates.hpp"
#include "partition/plan_cost.hpp"

namespace shingle {

class BlockCost {
 public:
  // All must outlive it.
  BlockCost(const Model& model, const Cluster& cluster, const LayerOrder& order,
            const GridFamily& family, WinogradUse winograd = WinogradUse::where_faster);

  struct Estimate {
    double elapsed_ns = 0.0;
    int64_t macs = 0;  // of all tiles
  };
  Estimate estimate(const BlockCut& cut);

 private:
  using Regions = std::vector<Region>;  // by node

  const Regions& territory(TensorId tensor);
  void add_transfers(TensorId tensor, const Regions& windows, std::vector<NodeWork>& work);

  const Model& model_;
  const Cluster& cluster_;
  const LayerOrder& order_;
  const GridCut finest_;
  const WinogradUse winograd_;
  std::map<TensorId, Regions> territories_;
};

}  // namespace shingle
