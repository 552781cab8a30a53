#include "apps/run/choose_plan.hpp"

#include <algorithm>
#include <charconv>

#include "apps/system/suggest.hpp"

namespace shingle {
namespace {

constexpr int32_t max_grid = 64;

std::optional<GridCut> parse_grid(const std::string& text) {
  GridCut grid;
  const char* end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, grid.rows);
  if (rows.ec != std::errc() || rows.ptr == end || *rows.ptr != 'x') return std::nullopt;
  const auto columns = std::from_chars(rows.ptr + 1, end, grid.columns);
  if (columns.ec != std::errc() || columns.ptr != end) return std::nullopt;
  const auto sensible = [](int32_t value) { return value >= 1 && value <= max_grid; };
  if (!sensible(grid.rows) || !sensible(grid.columns)) return std::nullopt;
  return grid;
}

Result<LayerId> layer_named(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < model.layers.size(); ++i) {
    if (model.layers[i].name == name) return LayerId{i};
    names.push_back(model.layers[i].name);
  }
  const auto near = nearest(name, names);
  return Error{"the model has no layer '" + name + "'" +
               (near ? "; did you mean '" + *near + "'?" : "; 'shingle model' lists them")};
}

}  // namespace

Result<std::optional<PlanOptions>> read_grid_options(const Model& model, const Cluster& cluster,
                                                     const GridOptions& options) {
  if (options.grid.empty() && options.cut_after.empty()) return std::optional<PlanOptions>();
  PlanOptions chosen;
  chosen.grid = {2, std::min(max_grid, static_cast<int32_t>(cluster.nodes.size()))};
  if (!options.grid.empty()) {
    const auto grid = parse_grid(options.grid);
    if (!grid)
      return Error{"'" + options.grid +
                   "' is not a grid; write ROWSxCOLUMNS from 1x1 to 64x64, such as 2x3"};
    chosen.grid = *grid;
  }
  for (const std::string& name : options.cut_after) {
    const auto layer = layer_named(model, name);
    if (!layer) return Error{layer.error()};
    chosen.cut_after.push_back(*layer);
  }
  return std::optional(chosen);
}

Cluster equal_nodes(uint32_t count) {
  Cluster cluster;
  for (uint32_t i = 0; i < count; ++i) cluster.nodes.push_back({.id = NodeId{i}});
  return cluster;
}

double tiled_share(const Plan& plan) {
  int64_t all = 0, tiled = 0;
  for (const FusedBlock& block : plan.blocks)
    for (const Tile& tile : block.tiles) {
      all += tile.macs;
      if (block.tiles.size() >= 4) tiled += tile.macs;
    }
  return all == 0 ? 0.0 : static_cast<double>(tiled) / static_cast<double>(all);
}

}  // namespace shingle
