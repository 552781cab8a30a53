#include "partition/search/assemble.hpp"

#include <algorithm>
#include <cassert>

#include "partition/plan/tile_cost.hpp"
#include "partition/search/tiling.hpp"
#include "partition/simulation/plan_cost.hpp"

namespace shingle {
namespace {

// Layers whose output nobody reads do not form a block of their own, because a block without
// outputs has no tiles.
std::vector<BlockCut> join_idle(const Model& model, const LayerOrder& order,
                                const std::vector<BlockCut>& cuts) {
  std::vector<BlockCut> joined;
  size_t begin = 0;
  for (const BlockCut& cut : cuts) {
    if (outputs_of(model, order, begin, cut.end).empty()) continue;
    joined.push_back({begin, cut.end, cut.grid});
    begin = cut.end;
  }
  if (!joined.empty()) joined.back().end = order.layers.size();
  return joined;
}

class Assembler {
 public:
  Assembler(const Model& model, const Cluster& cluster, const LayerOrder& order,
            AssembleOptions options)
      : model_(model), cluster_(cluster), order_(order), options_(options) {
    busy_.assign(cluster.nodes.size(), 0.0);
  }

  FusedBlock block(const BlockCut& cut) {
    const auto first = order_.layers.begin();
    std::vector<LayerId> ids(first + static_cast<std::ptrdiff_t>(cut.begin),
                             first + static_cast<std::ptrdiff_t>(cut.end));
    std::sort(ids.begin(), ids.end());
    FusedBlock block{.layers = block_layers(model_, ids, options_.winograd), .tiles = {}};
    const std::vector<TensorId> outputs = outputs_of(model_, order_, cut.begin, cut.end);
    std::vector<Shape> shapes;
    for (TensorId tensor : outputs) shapes.push_back(model_.at(tensor).shape);
    const GridCut grid = fitting(cut.grid, shapes, options_.granule);
    for (int32_t row = 0; row < grid.rows; ++row) {
      for (int32_t column = 0; column < grid.columns; ++column) {
        std::vector<Slice> slices;
        for (TensorId tensor : outputs) {
          const Shape shape = model_.at(tensor).shape;
          slices.push_back(
              {tensor, tile_region(shape, grid, row, column, granule(block, shape, grid))});
        }
        block.tiles.push_back(make_tile(model_, block, std::move(slices)));
      }
    }
    settle(block);
    return block;
  }

 private:
  Granule granule(const FusedBlock& block, Shape map, GridCut grid) const {
    if (options_.granule != Granule{}) return options_.granule;
    return winograd_granule(model_, block, map, grid);
  }

  void settle(FusedBlock& block) {
    std::vector<size_t> nodes = runs(cluster_, static_cast<int32_t>(block.tiles.size()));
    if (block.tiles.size() == 1) nodes[0] = least_busy();
    for (size_t i = 0; i < block.tiles.size(); ++i) {
      const ClusterNode& node = cluster_.nodes[nodes[i]];
      block.tiles[i].id = {next_id_++};
      block.tiles[i].home = node.id;
      busy_[nodes[i]] += static_cast<double>(block.tiles[i].macs) / speed(node);
    }
  }

  size_t least_busy() const {
    return static_cast<size_t>(std::min_element(busy_.begin(), busy_.end()) - busy_.begin());
  }

  const Model& model_;
  const Cluster& cluster_;
  const LayerOrder& order_;
  const AssembleOptions options_;
  std::vector<double> busy_;  // by node: MACs so far / speed
  uint32_t next_id_ = 0;
};

}  // namespace

Plan assemble(const Model& model, const Cluster& cluster, const LayerOrder& order,
              const std::vector<BlockCut>& cuts, AssembleOptions options) {
  assert(!cluster.nodes.empty());
  Plan plan;
  plan.model = model.hash;
  plan.sized = model.sized;
  plan.image = model.image;
  plan.weights = cluster.weights;
  plan.wire = wire_formats(model);
  Assembler assembler(model, cluster, order, options);
  for (const BlockCut& cut : join_idle(model, order, cuts)) {
    plan.blocks.push_back(assembler.block(cut));
  }
  plan.predicted = predict(model, cluster, plan);
  return plan;
}

}  // namespace shingle
