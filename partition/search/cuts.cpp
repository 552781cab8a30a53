#include "partition/search/cuts.hpp"

#include <algorithm>
#include <numeric>

namespace shingle {
namespace {

// If a block's work exceeds the model's work by this factor, the block is too deep for its layout,
// and deeper ones are not tried.
constexpr double most_redundancy = 2.0;

// A message's time in two network stacks plus the wait for the last halo.
constexpr double block_ns = 200'000.0;

// With so many rows per node, borders at whole rows are exact enough.
constexpr int32_t rows_without_stairs = 16;

constexpr std::array<BlockWay, block_way_count> all_ways{BlockWay::dealt, BlockWay::columns,
                                                         BlockWay::channels, BlockWay::on_owner};

bool reached(const auto& states) {
  return std::ranges::any_of(states, [](const auto& state) { return state.has_value(); });
}

}  // namespace

WaysTaken WaysTaken::with(const DraftBlock& block, BlockWay way) const {
  WaysTaken more = *this;
  more.ways_.resize(block.end, way);
  return more;
}

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

BlockSums::BlockSums(Workshop& workshop, const Layout& family, const std::vector<bool>& present)
    : workshop_(workshop),
      family_(family),
      present_(present),
      present_count_(static_cast<int32_t>(std::ranges::count(present, true))) {}

std::optional<DraftBlock> BlockSums::block(BlockWay way, size_t begin, size_t end) {
  const size_t nodes = workshop_.cluster().nodes.size();
  const MapKind kind = workshop_.order().kinds[begin];
  const bool is_map = kind == MapKind::map;
  if (way == BlockWay::on_owner) {
    if (workshop_.owner() >= nodes) return std::nullopt;
    return DraftBlock{begin, end, on_one_node(nodes, workshop_.owner())};
  }
  if (way == BlockWay::dealt && kind == MapKind::whole)
    return DraftBlock{begin, end, on_one_node(nodes, fastest(begin, end))};
  Layout layout = family_;
  if (way == BlockWay::columns || way == BlockWay::channels) {
    if (way == BlockWay::columns && kind == MapKind::whole) return std::nullopt;
    layout = {.shares = {}, .groups = present_count_, .across_channels = way == BlockWay::channels};
  }
  layout.shares = shares(begin, end);
  if (way == BlockWay::dealt) layout.stairs = wants_stairs(workshop_, layout, begin, end);
  if (way == BlockWay::dealt && !is_map) layout.groups = 1;
  return DraftBlock{begin, end, layout};
}

// Fair ones, of the nodes that are present.
std::vector<double> BlockSums::shares(size_t begin, size_t end) {
  std::vector<double> shares = workshop_.fair_shares(begin, end);
  for (size_t i = 0; i < shares.size(); ++i)
    if (!present_[i]) shares[i] = 0.0;
  return shares;
}

// The node that computes a block in the shortest time; among equal ones the owner.
size_t BlockSums::fastest(size_t begin, size_t end) {
  const std::vector<double> own = shares(begin, end);
  const auto best = std::max_element(own.begin(), own.end());
  const size_t owner = workshop_.owner();
  return owner < own.size() && own[owner] >= *best ? owner
                                                   : static_cast<size_t>(best - own.begin());
}

double BlockSums::elapsed_ns(const MadeBlock& made, const WaysTaken& before) {
  const size_t nodes = workshop_.cluster().nodes.size();
  Traffic traffic{std::vector<double>(nodes, 0.0), std::vector<double>(nodes, 0.0)};
  std::vector<int32_t> tiles(nodes, 0);
  for (const auto& [at, window] : windows_of(made, tiles))
    count(at.second, at.first, window, before, traffic);
  fetch_results(made, traffic);
  if (workshop_.cluster().medium_mbps) share_medium(traffic);
  double slowest = 0.0;
  for (size_t i = 0; i < nodes; ++i) {
    const double port = traffic.received[i] * 8000.0 / mbps(i);
    const double busy = in_nanoseconds(made.busy[i]);
    slowest = std::max(slowest, std::max(busy, port) + std::min(busy, port) / (tiles[i] + 1));
    slowest = std::max(slowest, traffic.sent[i] * 8000.0 / mbps(i));
  }
  return slowest + block_ns;
}

BlockSums::Windows BlockSums::windows_of(const MadeBlock& made, std::vector<int32_t>& tiles) const {
  Windows windows;
  for (const Tile& tile : made.block.tiles) {
    const size_t node = index_of(workshop_.cluster(), tile.home);
    ++tiles[node];
    for (const Slice& input : tile.inputs) {
      Region& window = windows[{node, input.tensor}];
      window = hull(window, input.region);
    }
  }
  return windows;
}

// The bytes of `window` that `node` has not, and who sends them.
void BlockSums::count(TensorId tensor, size_t node, const Region& window, const WaysTaken& before,
                      Traffic& traffic) {
  const int32_t made_at = workshop_.order().made_at[tensor.value];
  const BlockWay way = made_at < 0 ? BlockWay::on_owner : before.at(static_cast<size_t>(made_at));
  const int64_t element = bytes_of(workshop_.model().at(tensor).type);
  const std::vector<Region>& parts = territory(tensor, way);
  const int64_t missing = window.elements() - intersect(window, parts[node]).elements();
  traffic.received[node] += static_cast<double>(missing * element);
  for (size_t other = 0; other < parts.size() && made_at >= 0; ++other) {
    if (other == node) continue;
    traffic.sent[other] +=
        static_cast<double>(intersect(window, parts[other]).elements() * element);
  }
}

bool BlockSums::is_result(TensorId tensor) const {
  const LayerOrder& order = workshop_.order();
  return order.last_read_at[tensor.value] == static_cast<int32_t>(order.layers.size());
}

double BlockSums::mbps(size_t node) const {
  const Cluster& cluster = workshop_.cluster();
  return std::max(cluster.medium_mbps.value_or(cluster.nodes[node].link_mbps), 1e-6);
}

// All nodes wait for the bytes of all of them.
void BlockSums::share_medium(Traffic& traffic) {
  const std::vector<double>& received = traffic.received;
  const double all = std::accumulate(received.begin(), received.end(), 0.0);
  std::ranges::fill(traffic.received, all);
  std::ranges::fill(traffic.sent, 0.0);
}

// What the owner receives of the model's results.
void BlockSums::fetch_results(const MadeBlock& made, Traffic& traffic) const {
  const size_t owner = workshop_.owner();
  if (owner >= traffic.received.size()) return;
  for (size_t i = 0; i < made.block.tiles.size(); ++i) {
    if (made.homes[i] == owner) continue;
    for (const Slice& slice : made.block.tiles[i].outputs) {
      if (!is_result(slice.tensor)) continue;
      const int64_t element = bytes_of(workshop_.model().at(slice.tensor).type);
      traffic.received[owner] += static_cast<double>(slice.region.elements() * element);
    }
  }
}

// Each node's part of a tensor that an earlier block made in this way. The owner has the frame.
const std::vector<Region>& BlockSums::territory(TensorId tensor, BlockWay way) {
  const auto [at, fresh] = territories_.try_emplace({tensor, way});
  if (!fresh) return at->second;
  std::vector<Region>& parts = at->second;
  parts.resize(workshop_.cluster().nodes.size());
  const Shape shape = workshop_.model().at(tensor).shape;
  if (way == BlockWay::on_owner) {
    if (workshop_.owner() < parts.size()) parts[workshop_.owner()] = whole(shape);
    return parts;
  }
  const auto begin = static_cast<size_t>(workshop_.order().made_at[tensor.value]);
  const std::optional<DraftBlock> own = block(way, begin, begin + 1);
  Layout layout = own ? own->layout : block(BlockWay::dealt, begin, begin + 1)->layout;
  layout.stairs = false;
  layout.rows = layout.columns = 1;
  for (const DealtTile& tile : deal(layout, {shape}, workshop_.order().kinds[begin], {Granule{}}))
    parts[tile.node] = hull(parts[tile.node], tile.regions[0]);
  return parts;
}

Cuts::Cuts(Workshop& workshop, BlockSums& sums, bool mixed)
    : workshop_(workshop), sums_(sums), mixed_(mixed), states_(1) {
  states_[0][0] = State{};
}

void Cuts::add_stretch(const std::vector<size_t>& borders) {
  states_ = {states_.back()};
  states_.resize(borders.size());
  for (size_t from = 0; from + 1 < borders.size(); ++from) {
    extend(borders, from);
    if (!reached(states_[from + 1]))
      continue_blocks(states_[from], states_[from + 1], borders[from], borders[from + 1]);
  }
}

void Cuts::extend(const std::vector<size_t>& borders, size_t from) {
  const Model& model = workshop_.model();
  int64_t needed = 0;
  size_t counted = borders[from];
  for (size_t to = from + 1; to < borders.size(); ++to) {
    for (; counted < borders[to]; ++counted) {
      const LayerId layer = workshop_.order().layers[counted];
      needed += macs(model, layer, whole(model.at(model.at(layer).output).shape));
    }
    if (outputs_of(model, workshop_.order(), borders[from], borders[to]).empty()) continue;
    int64_t computed = 0;
    for (const BlockWay way : all_ways) {
      if (!mixed_ && way != BlockWay::dealt) continue;
      const auto block = sums_.block(way, borders[from], borders[to]);
      if (!block) continue;
      const int64_t macs = add(states_[from], states_[to], way, *block);
      if (way == BlockWay::dealt) computed = macs;
    }
    const bool too_deep =
        static_cast<double>(computed) > most_redundancy * static_cast<double>(needed);
    if (too_deep && reached(states_[from + 1])) break;
  }
}

// Returns the block's MACs.
int64_t Cuts::add(const States& from, States& to, BlockWay way, const DraftBlock& block) {
  const MadeBlock& made = workshop_.make(block);
  std::optional<State>& best = to[static_cast<size_t>(way)];
  for (const std::optional<State>& start : from) {
    if (!start) continue;
    const double elapsed = start->elapsed_ns + sums_.elapsed_ns(made, start->taken);
    if (best && best->elapsed_ns <= elapsed) continue;
    links_.push_back({block, start->last});
    best = State{elapsed, links_.size() - 1, start->taken.with(block, way)};
  }
  return std::accumulate(made.macs.begin(), made.macs.end(), int64_t{0});
}

// Nobody reads the output of the block between these positions: the next block continues it.
void Cuts::continue_blocks(const States& from, States& to, size_t begin, size_t end) {
  const DraftBlock block = *sums_.block(BlockWay::dealt, begin, end);
  for (const BlockWay way : all_ways) {
    const std::optional<State>& start = from[static_cast<size_t>(way)];
    if (!start) continue;
    links_.push_back({block, start->last});
    to[static_cast<size_t>(way)] =
        State{start->elapsed_ns, links_.size() - 1, start->taken.with(block, way)};
  }
}

Draft Cuts::cheapest() const {
  const State* best = nullptr;
  for (const std::optional<State>& state : states_.back())
    if (state && (best == nullptr || state->elapsed_ns < best->elapsed_ns)) best = &*state;
  Draft draft;
  for (size_t at = best->last; at != no_link; at = links_[at].before)
    draft.push_back(links_[at].block);
  std::reverse(draft.begin(), draft.end());
  return draft;
}

}  // namespace shingle
