// A plan in a few numbers: for people, benches and programs that print JSON.
#pragma once

#include "partition/plan/plan.hpp"

namespace shingle {

struct NodeShare {
  NodeId node;
  int32_t tiles = 0;
  int64_t macs = 0;
  double share = 0.0;  // of the MACs of all tiles; 0 if there are none
};

struct PlanSummary {
  int32_t blocks = 0, tiles = 0;
  int64_t model_macs = 0;        // of the layers; each output counts once
  int64_t macs = 0;              // of all tiles, halos included
  double redundancy = 0.0;       // macs / model_macs - 1
  double spread_share = 0.0;     // share of the model's MACs in blocks of 4 or more tiles
  int64_t wire_bytes = 0;        // per frame, from plan.predicted
  std::vector<NodeShare> nodes;  // homes, ascending
};

PlanSummary summarize(const Plan& plan, const Model& model);

// MACs of the block's layers; each output counts once.
int64_t layer_macs(const Model& model, const FusedBlock& block);

}  // namespace shingle
