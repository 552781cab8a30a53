#include "partition/search/first_drafts.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace shingle {
namespace {

// If a block's work exceeds the model's work by this factor, the block is too deep for its layout,
// and deeper ones are not tried.
constexpr double most_redundancy = 2.0;

// A message's time in two network stacks plus the wait for the last halo.
constexpr double block_ns = 200'000.0;

// With so many rows per node, borders at whole rows are exact enough.
constexpr int32_t rows_without_stairs = 16;

class Sum {
 public:
  Sum(Workshop& workshop, const Layout& family, const std::vector<bool>& present)
      : workshop_(workshop), family_(family), present_(present) {}

  DraftBlock block(size_t begin, size_t end) {
    Layout layout = family_;
    layout.shares = workshop_.fair_shares(begin, end);
    for (size_t i = 0; i < present_.size(); ++i) {
      if (!present_[i]) layout.shares[i] = 0.0;
    }
    layout.stairs = wants_stairs(workshop_, layout, begin, end);
    if (workshop_.order().kinds[begin] != MapKind::map) layout.groups = 1;
    return {begin, end, layout};
  }

  // A node computes and receives at the same time if it has several tiles to alternate between.
  double elapsed_ns(const MadeBlock& made) {
    const Cluster& cluster = workshop_.cluster();
    std::vector<double> fetched(cluster.nodes.size(), 0.0);
    std::vector<int32_t> tiles(cluster.nodes.size(), 0);
    std::map<std::pair<size_t, TensorId>, Region> windows;
    for (const Tile& tile : made.block.tiles) {
      const size_t node = index_of(cluster, tile.home);
      ++tiles[node];
      for (const Slice& input : tile.inputs) {
        Region& window = windows[{node, input.tensor}];
        window = hull(window, input.region);
      }
    }
    fetch_results(made, fetched);
    for (const auto& [at, window] : windows) {
      const Region& own = territory(at.second)[at.first];
      const int64_t missing = window.elements() - intersect(window, own).elements();
      const int64_t element = bytes_of(workshop_.model().at(at.second).type);
      fetched[at.first] += static_cast<double>(missing * element);
    }
    double slowest = 0.0;
    for (size_t i = 0; i < cluster.nodes.size(); ++i) {
      const double port = fetched[i] * 8000.0 / mbps(i);
      const double busy = in_nanoseconds(made.busy[i]);
      slowest = std::max(slowest, std::max(busy, port) + std::min(busy, port) / (tiles[i] + 1));
    }
    return slowest + block_ns;
  }

  // Returns nothing if the owner is not in the cluster.
  std::optional<DraftBlock> on_owner(size_t begin, size_t end) const {
    const size_t nodes = workshop_.cluster().nodes.size();
    if (workshop_.owner() >= nodes) return std::nullopt;
    return DraftBlock{begin, end, on_one_node(nodes, workshop_.owner())};
  }

  // The time in which the owner sends the other nodes their parts of what it made alone.
  double dealt_out_ns(const DraftBlock& alone) {
    double bytes = 0.0;
    for (TensorId tensor :
         outputs_of(workshop_.model(), workshop_.order(), alone.begin, alone.end)) {
      if (is_result(tensor)) continue;
      const int64_t kept = territory(tensor)[workshop_.owner()].elements();
      const Tensor& made = workshop_.model().at(tensor);
      bytes += static_cast<double>((made.shape.elements() - kept) * bytes_of(made.type));
    }
    return bytes * 8000.0 / mbps(workshop_.owner());
  }

 private:
  bool is_result(TensorId tensor) const {
    const LayerOrder& order = workshop_.order();
    return order.last_read_at[tensor.value] == static_cast<int32_t>(order.layers.size());
  }

  double mbps(size_t node) const {
    const Cluster& cluster = workshop_.cluster();
    const double port = cluster.medium_mbps ? *cluster.medium_mbps / double(cluster.nodes.size())
                                            : cluster.nodes[node].link_mbps;
    return std::max(port, 1e-6);
  }

  // What the owner receives of the model's results.
  void fetch_results(const MadeBlock& made, std::vector<double>& fetched) const {
    if (workshop_.owner() >= fetched.size()) return;
    for (size_t i = 0; i < made.block.tiles.size(); ++i) {
      if (made.homes[i] == workshop_.owner()) continue;
      for (const Slice& slice : made.block.tiles[i].outputs) {
        if (!is_result(slice.tensor)) continue;
        const int64_t element = bytes_of(workshop_.model().at(slice.tensor).type);
        fetched[workshop_.owner()] += static_cast<double>(slice.region.elements() * element);
      }
    }
  }

  // Each node's part of a tensor that an earlier block of the family made. Empty for the frame.
  const std::vector<Region>& territory(TensorId tensor) {
    const auto [at, fresh] = territories_.try_emplace(tensor);
    if (!fresh) return at->second;
    at->second.resize(workshop_.cluster().nodes.size());
    const int32_t made_at = workshop_.order().made_at[tensor.value];
    if (made_at < 0) {
      if (workshop_.owner() < at->second.size()) {
        at->second[workshop_.owner()] = whole(workshop_.model().at(tensor).shape);
      }
      return at->second;
    }
    const auto begin = static_cast<size_t>(made_at);
    Layout layout = block(begin, begin + 1).layout;
    layout.stairs = false;
    layout.rows = layout.columns = 1;
    const Shape shape = workshop_.model().at(tensor).shape;
    for (const DealtTile& tile :
         deal(layout, {shape}, workshop_.order().kinds[begin], {Granule{}})) {
      at->second[tile.node] = hull(at->second[tile.node], tile.regions[0]);
    }
    return at->second;
  }

  Workshop& workshop_;
  const Layout& family_;
  const std::vector<bool>& present_;
  std::map<TensorId, std::vector<Region>> territories_;
};

// The cheapest way to cut one stretch at some of `borders` (its begin and the positions where
// blocks may end). best[e] is the cheapest cut up to e, over all positions where its last block may
// begin. `owner_alone`: a block may be on the owner alone instead.
Draft best_cuts(Workshop& workshop, Sum& sum, const std::vector<size_t>& borders,
                bool owner_alone) {
  struct Best {
    double elapsed_ns = 0.0;
    size_t from = 0;  // index into borders
    DraftBlock last;
  };
  const Model& model = workshop.model();
  std::vector<std::optional<Best>> best(borders.size());
  best[0] = Best{};
  for (size_t from = 0; from + 1 < borders.size(); ++from) {
    int64_t needed = 0;
    size_t counted = borders[from];
    for (size_t to = from + 1; to < borders.size(); ++to) {
      for (; counted < borders[to]; ++counted) {
        const LayerId layer = workshop.order().layers[counted];
        needed += macs(model, layer, whole(model.at(model.at(layer).output).shape));
      }
      DraftBlock block = sum.block(borders[from], borders[to]);
      if (outputs_of(model, workshop.order(), block.begin, block.end).empty()) continue;
      const MadeBlock& made = workshop.make(block);
      const double elapsed = best[from]->elapsed_ns + sum.elapsed_ns(made);
      if (!best[to] || elapsed < best[to]->elapsed_ns) {
        best[to] = Best{elapsed, from, std::move(block)};
      }
      const std::optional<DraftBlock> alone =
          owner_alone ? sum.on_owner(borders[from], borders[to]) : std::nullopt;
      if (alone) {
        const double by_owner = best[from]->elapsed_ns + sum.elapsed_ns(workshop.make(*alone)) +
                                sum.dealt_out_ns(*alone);
        if (by_owner < best[to]->elapsed_ns) best[to] = Best{by_owner, from, *alone};
      }
      const int64_t computed = std::accumulate(made.macs.begin(), made.macs.end(), int64_t{0});
      const bool too_deep =
          static_cast<double>(computed) > most_redundancy * static_cast<double>(needed);
      if (too_deep && best[from + 1]) break;
    }
    if (!best[from + 1]) {  // nobody reads the output of that block: the next block continues it
      best[from + 1] =
          Best{best[from]->elapsed_ns, from, sum.block(borders[from], borders[from + 1])};
    }
  }
  Draft cuts;
  for (size_t at = borders.size() - 1; at > 0; at = best[at]->from) cuts.push_back(best[at]->last);
  std::reverse(cuts.begin(), cuts.end());
  return cuts;
}

// The node that computes a block in the shortest time; among equal ones the owner.
size_t fastest(Workshop& workshop, size_t begin, size_t end, const std::vector<bool>& present) {
  std::vector<double> shares = workshop.fair_shares(begin, end);
  for (size_t i = 0; i < shares.size(); ++i) shares[i] = present[i] ? shares[i] : 0.0;
  const auto best = std::max_element(shares.begin(), shares.end());
  const size_t owner = workshop.owner();
  return owner < shares.size() && shares[owner] >= *best
             ? owner
             : static_cast<size_t>(best - shares.begin());
}

Draft first_draft(Workshop& workshop, const Borders& borders, Sum& sum,
                  const std::vector<bool>& present, bool owner_alone) {
  Draft draft;
  for (const Stretch& stretch : stretches(workshop.order())) {
    if (stretch.kind == MapKind::whole) {
      const size_t node = fastest(workshop, stretch.begin, stretch.end, present);
      draft.push_back(
          {stretch.begin, stretch.end, on_one_node(workshop.cluster().nodes.size(), node)});
      continue;
    }
    std::vector<size_t> places = borders.ends(stretch);
    places.insert(places.begin(), stretch.begin);
    const Draft more = best_cuts(workshop, sum, places, owner_alone);
    draft.insert(draft.end(), more.begin(), more.end());
  }
  return without_idle_blocks(workshop.model(), workshop.order(), draft);
}

}  // namespace

bool wants_stairs(const Workshop& workshop, const Layout& layout, size_t begin, size_t end) {
  const LayerOrder& order = workshop.order();
  if (order.kinds[begin] != MapKind::map || layout.across_channels) return false;
  const auto rows_of_groups = static_cast<int64_t>(
      (workshop.cluster().nodes.size() + static_cast<size_t>(layout.groups) - 1) /
      static_cast<size_t>(layout.groups));
  for (TensorId tensor : outputs_of(workshop.model(), order, begin, end)) {
    if (workshop.model().at(tensor).shape.h >= rows_without_stairs * rows_of_groups) return false;
  }
  return true;
}

std::vector<Draft> first_drafts(Workshop& workshop, const Borders& borders, const Layout& family,
                                const std::vector<bool>& present) {
  Sum sum(workshop, family, present);
  std::vector<Draft> drafts{first_draft(workshop, borders, sum, present, false)};
  Draft other = first_draft(workshop, borders, sum, present, true);
  if (other != drafts[0]) drafts.push_back(std::move(other));
  return drafts;
}

Draft with_weights_dealt(Workshop& workshop, const Draft& draft) {
  const Model& model = workshop.model();
  const LayerOrder& order = workshop.order();
  const auto weights = [&](size_t at) { return weight_bytes(model, model.at(order.layers[at])); };
  const auto is_heavy = [&](size_t at) {
    const Shape shape = model.at(model.at(order.layers[at]).output).shape;
    return weights(at) > bytes_of(shape, ElementType::f32);
  };
  Draft dealt;
  for (const DraftBlock& block : draft) {
    for (size_t at = block.begin; at < block.end;) {
      const bool heavy = is_heavy(at);
      DraftBlock part{at, at + 1, block.layout};
      // A layer without weights belongs to the part of the layer before it.
      while (part.end < block.end && (heavy ? weights(part.end) == 0 : !is_heavy(part.end))) {
        ++part.end;
      }
      if (heavy) {
        part.layout = Layout{.shares = workshop.fair_shares(part.begin, part.end),
                             .groups = static_cast<int32_t>(block.layout.shares.size()),
                             .across_channels = true};
      }
      at = part.end;
      dealt.push_back(std::move(part));
    }
  }
  return without_idle_blocks(model, order, dealt);
}

Draft single_draft(const Workshop& workshop, size_t node) {
  return {{0, workshop.order().layers.size(), on_one_node(workshop.cluster().nodes.size(), node)}};
}

Draft pipeline_draft(Workshop& workshop) {
  const Model& model = workshop.model();
  const LayerOrder& order = workshop.order();
  const size_t nodes = workshop.cluster().nodes.size();
  const std::vector<double> shares = workshop.fair_shares(0, order.layers.size());
  const auto all = static_cast<double>(std::max<int64_t>(1, total_macs(model)));
  Draft draft;
  size_t begin = 0, node = 0;
  double behind = 0.0, target = shares[0];
  for (size_t i = 0; i < order.layers.size(); ++i) {
    const Region map = whole(model.at(model.at(order.layers[i]).output).shape);
    const double own = static_cast<double>(macs(model, order.layers[i], map)) / all;
    if (node + 1 < nodes && i > begin && behind + own / 2.0 > target) {
      draft.push_back({begin, i, on_one_node(nodes, node)});
      begin = i;
      target += shares[++node];
    }
    behind += own;
  }
  draft.push_back({begin, order.layers.size(), on_one_node(nodes, node)});
  return without_idle_blocks(model, order, draft);
}

}  // namespace shingle
