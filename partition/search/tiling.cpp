#include "partition/search/tiling.hpp"

#include <cassert>

namespace shingle {
namespace {

// Number of granules on an axis; the last one may be partial. Cuts lie on multiples of the granule.
int32_t units(int32_t size, int32_t granule) { return (size + granule - 1) / granule; }

Span part(int32_t size, int32_t granule, int32_t parts, int32_t index) {
  const int64_t count = units(size, granule);
  const auto border = [&](int64_t i) {
    return static_cast<int32_t>(std::min<int64_t>(size, count * i / parts * granule));
  };
  return {border(index), border(int64_t{index} + 1)};
}

}  // namespace

GridCut fitting(GridCut grid, const std::vector<Shape>& shapes, Granule granule) {
  const auto all = [&](auto is) { return std::all_of(shapes.begin(), shapes.end(), is); };
  const int32_t tiles =
      static_cast<int32_t>(std::min<int64_t>(INT32_MAX, int64_t{grid.rows} * grid.columns));
  if (all([](Shape shape) { return shape.h == 1; })) {
    grid = {1, tiles};
  } else if (all([](Shape shape) { return shape.w == 1; })) {
    grid = {tiles, 1};
  }
  for (const Shape& shape : shapes) {
    grid.rows = std::min(grid.rows, units(shape.h, granule.y));
    grid.columns = std::min(grid.columns, units(shape.w, granule.x));
  }
  return {std::max(1, grid.rows), std::max(1, grid.columns)};
}

Region tile_region(Shape shape, GridCut grid, int32_t row, int32_t column, Granule granule) {
  return {part(shape.h, granule.y, grid.rows, row),
          part(shape.w, granule.x, grid.columns, column),
          {0, shape.c}};
}

namespace {

int32_t along(int32_t winograd_size, int32_t size, int32_t parts) {
  const int32_t unit = std::min(winograd_grid, winograd_grid * size / winograd_size);
  return unit > 1 && units(size, unit) >= 2 * parts ? unit : 1;
}

}  // namespace

Granule winograd_granule(const Model& model, const FusedBlock& block, Shape map, GridCut grid) {
  Granule granule;
  for (const BlockLayer& layer : block.layers) {
    if (layer.algorithm != Algorithm::winograd4) continue;
    const Shape made = model.at(model.at(layer.id).output).shape;
    granule.y = std::max(granule.y, along(made.h, map.h, grid.rows));
    granule.x = std::max(granule.x, along(made.w, map.w, grid.columns));
  }
  return granule;
}

double speed(const ClusterNode& node) { return node.gflops > 1e-6 ? node.gflops : 1e-6; }

std::vector<size_t> runs(const Cluster& cluster, int32_t tiles) {
  assert(!cluster.nodes.empty());
  double total = 0.0;
  for (const ClusterNode& node : cluster.nodes) total += speed(node);
  std::vector<size_t> homes;
  size_t node = 0;
  double reached = speed(cluster.nodes[0]);
  for (int32_t tile = 0; tile < tiles; ++tile) {
    // A tile belongs to the node whose part of the total speed contains the tile's middle.
    const double middle = total * (tile + 0.5) / tiles;
    while (reached <= middle && node + 1 < cluster.nodes.size()) {
      reached += speed(cluster.nodes[++node]);
    }
    homes.push_back(node);
  }
  return homes;
}

}  // namespace shingle
