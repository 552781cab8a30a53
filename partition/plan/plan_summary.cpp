#include "partition/plan/plan_summary.hpp"

#include <map>

namespace shingle {

int64_t layer_macs(const Model& model, const FusedBlock& block) {
  int64_t total = 0;
  for (const BlockLayer& layer : block.layers) {
    total += macs(model, layer.id, whole(model.at(model.at(layer.id).output).shape));
  }
  return total;
}

namespace {

double ratio(int64_t part, int64_t all) {
  return all == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

PlanSummary summarize(const Plan& plan, const Model& model) {
  PlanSummary summary;
  summary.blocks = static_cast<int32_t>(plan.blocks.size());
  summary.tiles = tile_count(plan);
  summary.wire_bytes = plan.predicted.wire_bytes;
  int64_t spread = 0;
  std::map<NodeId, NodeShare> nodes;
  for (const FusedBlock& block : plan.blocks) {
    const int64_t needed = layer_macs(model, block);
    summary.model_macs += needed;
    if (block.tiles.size() >= 4) spread += needed;
    for (const Tile& tile : block.tiles) {
      NodeShare& node = nodes[tile.home];
      node.node = tile.home;
      node.macs += tile.macs;
      ++node.tiles;
      summary.macs += tile.macs;
    }
  }
  for (auto& [id, node] : nodes) {
    node.share = ratio(node.macs, summary.macs);
    summary.nodes.push_back(node);
  }
  if (summary.model_macs > 0) summary.redundancy = ratio(summary.macs, summary.model_macs) - 1.0;
  summary.spread_share = ratio(spread, summary.model_macs);
  return summary;
}

}  // namespace shingle
