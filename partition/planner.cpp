#include "partition/planner.hpp"

#include <algorithm>
#include <cassert>
#include <optional>

#include "partition/assemble.hpp"
#include "partition/block_cost.hpp"
#include "partition/candidates.hpp"
#include "partition/plan_cost.hpp"
#include "partition/program.hpp"

namespace shingle {
namespace {

constexpr GridCut one_tile{1, 1};

// Beyond this much of the work that the model asks for, a block is too deep for its grid: making it
// deeper is not tried.
constexpr double most_redundancy = 2.5;

// The cheapest way to cut one stretch on the grids of one family, at some of `borders` (its begin
// and where blocks may end): best[e] is reached by the cheapest block that ends at e, over all
// places where it may begin.
std::vector<BlockCut> best_cuts(const Model& model, const LayerOrder& order, BlockCost& cost,
                                const GridFamily& family, std::vector<size_t> borders) {
  struct Best {
    double elapsed_ns = 0.0;
    size_t from = 0;  // index into borders
    BlockCut last;
  };
  std::vector<std::optional<Best>> best(borders.size());
  best[0] = Best{};
  for (size_t from = 0; from + 1 < borders.size(); ++from) {
    std::vector<GridCut> grids = family;
    int64_t needed = 0;
    size_t counted = borders[from];
    for (size_t to = from + 1; to < borders.size() && !grids.empty(); ++to) {
      for (; counted < borders[to]; ++counted) {
        const LayerId layer = order.layers[counted];
        needed += macs(model, layer, whole(model.at(model.at(layer).output).shape));
      }
      std::vector<GridCut> still_good;
      for (const GridCut& grid : grids) {
        const BlockCut cut{borders[from], borders[to], grid};
        const BlockCost::Estimate block = cost.estimate(cut);
        const double elapsed = best[from]->elapsed_ns + block.elapsed_ns;
        if (!best[to] || elapsed < best[to]->elapsed_ns) best[to] = Best{elapsed, from, cut};
        if (static_cast<double>(block.macs) <= most_redundancy * static_cast<double>(needed)) {
          still_good.push_back(grid);
        }
      }
      grids = std::move(still_good);
    }
  }
  std::vector<BlockCut> cuts;
  for (size_t at = borders.size() - 1; at > 0; at = best[at]->from) cuts.push_back(best[at]->last);
  std::reverse(cuts.begin(), cuts.end());
  return cuts;
}

Plan best_of_family(const Model& model, const Cluster& cluster, const LayerOrder& order,
                    const Borders& borders, const GridFamily& family, WinogradUse winograd) {
  BlockCost cost(model, cluster, order, family, winograd);
  std::vector<BlockCut> cuts;
  for (const Stretch& stretch : stretches(order)) {
    if (stretch.kind == MapKind::whole) {
      cuts.push_back({stretch.begin, stretch.end, one_tile});
      continue;
    }
    std::vector<size_t> places = borders.ends(stretch);
    places.insert(places.begin(), stretch.begin);
    const std::vector<BlockCut> more = best_cuts(model, order, cost, family, std::move(places));
    cuts.insert(cuts.end(), more.begin(), more.end());
  }
  return assemble(model, cluster, order, cuts, {.granule = {}, .winograd = winograd});
}

// The node that is over its cap, said with the numbers; none if all fit.
std::optional<std::string> overflow(const Model& model, const Cluster& cluster, const Plan& plan) {
  const Routes routes = make_routes(model, plan);
  for (const ClusterNode& node : cluster.nodes) {
    const int64_t needed = node_bytes(model, plan, routes, node.id);
    if (node.memory_bytes == 0 || needed <= node.memory_bytes) continue;
    return "node " + std::to_string(node.id.value) + " would need " + std::to_string(needed) +
           " bytes for one frame of this model but may use " + std::to_string(node.memory_bytes);
  }
  return std::nullopt;
}

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

Result<Plan> make_plan(const Model& model, const Cluster& cluster, WinogradUse winograd) {
  if (cluster.nodes.empty()) return Error{"a plan needs at least one node that computes"};
  const LayerOrder order = layer_order(model);
  std::vector<Plan> candidates;
  if (cluster.nodes.size() == 1) {
    candidates.push_back(assemble(model, cluster, order, {{0, order.layers.size(), one_tile}},
                                  {.granule = {}, .winograd = winograd}));
  } else {
    const Borders borders(model, order);
    for (const GridFamily& family : grid_families(cluster.nodes.size())) {
      candidates.push_back(best_of_family(model, cluster, order, borders, family, winograd));
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Plan& a, const Plan& b) {
    return a.predicted.latency_ns < b.predicted.latency_ns;
  });
  for (Plan& plan : candidates) {
    if (!overflow(model, cluster, plan)) return std::move(plan);
  }
  return Error{*overflow(model, cluster, candidates.front())};
}

Plan single_plan(const Model& model, NodeId node, WinogradUse winograd) {
  const LayerOrder order = layer_order(model);
  const Cluster cluster{{{.id = node}}};
  return assemble(model, cluster, order, {{0, order.layers.size(), one_tile}},
                  {.granule = {}, .winograd = winograd});
}

}  // namespace shingle
