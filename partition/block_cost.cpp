#include "partition/block_cost.hpp"

#include <algorithm>

#include "partition/program.hpp"
#include "partition/tiling.hpp"

namespace shingle {

namespace {

// A node with one tile has nothing to do while its windows are on their way and nothing to lend
// when it is late. That is worth a fifth more halo, and not twice as much as on small maps.
constexpr double lone_tile_factor = 1.2;

}  // namespace

BlockCost::BlockCost(const Model& model, const Cluster& cluster, const LayerOrder& order,
                     const GridFamily& family, WinogradUse winograd)
    : model_(model),
      cluster_(cluster),
      order_(order),
      finest_(family.back()),
      winograd_(winograd) {}

// Each node's part of a map that is cut on the family's finest grid.
const BlockCost::Regions& BlockCost::territory(TensorId tensor) {
  const auto [at, fresh] = territories_.try_emplace(tensor);
  if (!fresh) return at->second;
  at->second.resize(cluster_.nodes.size());
  const Shape shape = model_.at(tensor).shape;
  const GridCut grid = fitting(finest_, {shape});
  const std::vector<size_t> homes = runs(cluster_, grid.rows * grid.columns);
  for (int32_t i = 0; i < grid.rows * grid.columns; ++i) {
    Region& region = at->second[homes[static_cast<size_t>(i)]];
    region = hull(region, tile_region(shape, grid, i / grid.columns, i % grid.columns));
  }
  return at->second;
}

// `windows`: the hull of what each node reads of the tensor.
void BlockCost::add_transfers(TensorId tensor, const Regions& windows,
                              std::vector<NodeWork>& work) {
  const bool from_frame = order_.made_at[tensor.value] < 0;
  const int64_t element = bytes_of(model_.at(tensor).type);
  for (size_t reader = 0; reader < windows.size(); ++reader) {
    if (from_frame) {
      work[reader].bytes_in += windows[reader].elements() * element;
      continue;
    }
    const Regions& held = territory(tensor);
    for (size_t holder = 0; holder < held.size(); ++holder) {
      if (holder == reader) continue;
      const int64_t bytes = intersect(windows[reader], held[holder]).elements() * element;
      work[reader].bytes_in += bytes;
      work[holder].bytes_out += bytes;
    }
  }
}

BlockCost::Estimate BlockCost::estimate(const BlockCut& cut) {
  FusedBlock block;
  for (size_t i = cut.begin; i < cut.end; ++i) block.layers.push_back(order_.layers[i]);
  std::sort(block.layers.begin(), block.layers.end());
  block.winograd = winograd_layers(model_, block.layers, winograd_);
  const std::vector<TensorId> outputs = outputs_of(model_, order_, cut.begin, cut.end);
  std::vector<Shape> shapes;
  for (TensorId tensor : outputs) shapes.push_back(model_.at(tensor).shape);
  const GridCut grid = fitting(cut.grid, shapes);
  const std::vector<size_t> homes = runs(cluster_, grid.rows * grid.columns);

  Estimate estimate;
  std::vector<NodeWork> work(cluster_.nodes.size());
  std::map<TensorId, Regions> windows;
  for (int32_t i = 0; i < grid.rows * grid.columns; ++i) {
    const size_t home = homes[static_cast<size_t>(i)];
    std::vector<Slice> slices;
    for (size_t k = 0; k < outputs.size(); ++k) {
      slices.push_back({outputs[k], tile_region(shapes[k], grid, i / grid.columns, i % grid.columns,
                                                winograd_granule(model_, block, shapes[k], grid))});
    }
    const TileProgram program = tile_program(model_, block, slices);
    const int64_t tile_macs = macs(model_, program);
    estimate.macs += tile_macs;
    ++work[home].tiles;
    work[home].compute_ns += compute_ns(cluster_.nodes[home], tile_macs, program.steps.size());
    for (const Slice& input : program.inputs) {
      Regions& regions = windows.try_emplace(input.tensor, work.size()).first->second;
      regions[home] = hull(regions[home], input.region);
    }
  }
  for (const auto& [tensor, regions] : windows) add_transfers(tensor, regions, work);
  for (size_t i = 0; i < work.size(); ++i) {
    estimate.elapsed_ns = std::max(estimate.elapsed_ns, elapsed_ns(cluster_.nodes[i], work[i]));
  }
  if (grid.rows * grid.columns <= static_cast<int32_t>(work.size())) {
    estimate.elapsed_ns *= lone_tile_factor;
  }
  estimate.elapsed_ns += block_ns;
  return estimate;
}

}  // namespace shingle
