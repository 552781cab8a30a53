#include "tests/networks/drawn_plans.hpp"

#include <algorithm>

#include "partition/search/draft.hpp"
#include "partition/search/rotation_search.hpp"

namespace shingle::networks {

namespace {

constexpr int64_t small_search = 2000;  // in tiles and strips; small, so that tests are quick

std::vector<double> drawn_shares(Random& random, size_t nodes) {
  std::vector<double> shares;
  for (size_t i = 0; i < nodes; ++i) {
    const bool takes_part = random.chance(0.8);
    const float share = random.uniform(0.05F, 1.0F);
    shares.push_back(takes_part ? share : 0.0);
  }
  const auto chosen = static_cast<size_t>(random.next() % nodes);
  if (std::all_of(shares.begin(), shares.end(), [](double share) { return share == 0.0; }))
    shares[chosen] = 1.0;
  return shares;
}

Layout drawn_layout(Random& random, size_t nodes, MapKind kind) {
  const auto one = static_cast<size_t>(random.next() % nodes);
  const bool by_channels = random.chance(0.25), alone = random.chance(0.1);
  if (alone || (kind == MapKind::whole && !by_channels)) return on_one_node(nodes, one);
  Layout layout{.shares = drawn_shares(random, nodes)};
  layout.across_channels = by_channels;
  layout.groups = random.between(1, static_cast<int32_t>(nodes));
  layout.rows = random.between(1, 3);
  layout.columns = random.between(1, 2);
  layout.stairs = !by_channels && kind == MapKind::map && random.chance(0.5);
  layout.loose = random.chance(0.5);
  if (kind != MapKind::map && !by_channels) layout.groups = 1;
  return layout;
}

}  // namespace

Plan drawn_plan(Random& random, const Model& model, const Cluster& cluster) {
  const Precedence precedence = random.chance(0.5) ? Precedence::outputs : Precedence::file;
  const LayerOrder order = layer_order(model, precedence);
  const Goal goal;
  Workshop workshop(model, cluster, order, goal, WinogradUse::where_faster);
  Draft draft;
  for (const Stretch& stretch : stretches(order)) {
    size_t begin = stretch.begin;
    for (size_t end = begin + 1; end <= stretch.end; ++end) {
      if (end < stretch.end && !random.chance(0.35)) continue;
      draft.push_back({begin, end, drawn_layout(random, cluster.nodes.size(), stretch.kind)});
      begin = end;
    }
  }
  return workshop.plan(without_idle_blocks(model, order, draft));
}

Rotation drawn_rotation(Random& random, const Model& model, const Cluster& cluster) {
  const size_t nodes = cluster.nodes.size();
  const size_t turns = std::min<size_t>(nodes, static_cast<size_t>(random.between(2, 3)));
  Rotation rotation;
  for (size_t turn = 0; turn < turns; ++turn) {
    Cluster group = cluster;
    const auto at = [&](size_t border) {
      return cluster.nodes.begin() + static_cast<std::ptrdiff_t>(border * nodes / turns);
    };
    group.nodes.assign(at(turn), at(turn + 1));
    Plan plan = drawn_plan(random, model, group);
    rotation.push_back({std::move(plan), random.between(1, 3)});
  }
  return rotation;
}

Result<std::vector<Rotation>> planned_twice(const Model& model, const Cluster& cluster,
                                            const Goal& goal,
                                            const std::vector<double>& speed_ups) {
  const auto first = find_rotation(model, cluster, goal, small_search);
  if (!first) return Error{first.error()};
  std::vector<Rotation> rotations{first->rotation};
  Cluster changed = cluster;
  for (size_t i = 0; i < speed_ups.size(); ++i) changed.nodes[i].gflops *= speed_ups[i];
  const auto second =
      find_rotation_near(model, changed, goal, first->outlines, speed_ups, small_search);
  if (second) rotations.push_back(second->rotation);
  return rotations;
}

PlanKinds& PlanKinds::operator+=(const PlanKinds& more) {
  blocks += more.blocks;
  tiles += more.tiles;
  channel_tiles += more.channel_tiles;
  winograd_layers += more.winograd_layers;
  return *this;
}

PlanKinds kinds_of(const Plan& plan, const Model& model) {
  PlanKinds kinds;
  kinds.blocks = std::ssize(plan.blocks);
  kinds.tiles = tile_count(plan);
  kinds.winograd_layers = std::ssize(winograd_layers(plan));
  for (const FusedBlock& block : plan.blocks)
    kinds.channel_tiles +=
        std::count_if(block.tiles.begin(), block.tiles.end(), [&](const Tile& tile) {
          return std::any_of(tile.outputs.begin(), tile.outputs.end(), [&](const Slice& part) {
            return part.region.c.size() < model.at(part.tensor).shape.c;
          });
        });
  return kinds;
}

}  // namespace shingle::networks
