#include "partition/search/planner.hpp"

#include <algorithm>
#include <cassert>
#include <optional>

#include "partition/plan/program.hpp"
#include "partition/search/assemble.hpp"
#include "partition/search/plan_search.hpp"

namespace shingle {
namespace {

constexpr GridCut one_tile{1, 1};

}  // namespace

Plan grid_plan(const Model& model, const Cluster& cluster, const PlanOptions& options) {
  const LayerOrder order = layer_order(model);
  std::vector<bool> ends(model.layers.size(), false);
  for (LayerId layer : options.cut_after) {
    if (layer.value < ends.size()) ends[layer.value] = true;
  }
  std::vector<BlockCut> cuts;
  for (const Stretch& stretch : stretches(order)) {
    const bool whole = stretch.kind == MapKind::whole;
    const GridCut grid = whole ? one_tile : options.grid;
    size_t begin = stretch.begin;
    for (size_t i = stretch.begin; i < stretch.end; ++i) {
      if (i + 1 < stretch.end && !ends[order.layers[i].value]) continue;
      cuts.push_back({begin, i + 1, grid});
      begin = i + 1;
    }
  }
  return assemble(model, cluster, order, cuts,
                  {.granule = options.granule, .winograd = options.winograd});
}

Result<Plan> make_plan(const Model& model, const Cluster& cluster, const Goal& goal) {
  Result<Found> found = find_plan(model, cluster, goal);
  if (!found) return found.failure();
  return std::move(found->plan);
}

Plan single_plan(const Model& model, NodeId node, WinogradUse winograd) {
  const LayerOrder order = layer_order(model);
  const Cluster cluster{{{.id = node}}};
  return assemble(model, cluster, order, {{0, order.layers.size(), one_tile}},
                  {.granule = {}, .winograd = winograd});
}

}  // namespace shingle
