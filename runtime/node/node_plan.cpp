#include "runtime/node/node_plan.hpp"

#include <algorithm>

namespace shingle {

namespace {

void index_tiles(KnownPlan& known) {
  const Plan& plan = known.loaded->plan;
  for (uint32_t block = 0; block < plan.blocks.size(); ++block) {
    for (const Tile& tile : plan.blocks[block].tiles) {
      const uint64_t id = tile.id.value;
      const bool awaited = !known.routes().leaving[id].empty();
      known.tiles.push_back(&tile);
      known.block_of_tile.push_back(block);
      known.order_of_tile.push_back(awaited ? id : id + (uint64_t{1} << 32));
    }
  }
  known.measured.resize(plan.blocks.size());
}

void index_strips(KnownPlan& known) {
  const Routes& routes = known.routes();
  const auto last = static_cast<uint32_t>(known.loaded->plan.blocks.size());
  for (const std::vector<TileId>& readers : routes.waiting_on_strip) {
    uint32_t block = last;
    for (const TileId reader : readers) block = std::min(block, known.block_of_tile[reader.value]);
    known.block_of_strip.push_back(block);
  }
}

void index_canvases(KnownPlan& known, NodeId self) {
  known.canvas_of_tensor.assign(known.loaded->shapes.size(), -1);
  for (const CanvasSpec& spec : known.routes().canvases) {
    if (spec.node != self) continue;
    known.canvas_of_tensor[spec.tensor.value] = static_cast<int32_t>(known.canvases.size());
    known.canvases.push_back(&spec);
  }
}

void index_homes(KnownPlan& known) {
  known.homes = homes(known.loaded->plan);
  for (const NodeId home : known.homes) {
    const bool unprompted =
        std::any_of(known.tiles.begin(), known.tiles.end(), [&](const Tile* tile) {
          return tile->home == home && known.routes().waits_for[tile->id.value] == 0;
        });
    if (unprompted) known.unprompted.push_back(home);
  }
}

}  // namespace

bool KnownPlan::is_home(NodeId node) const {
  return std::binary_search(homes.begin(), homes.end(), node);
}

KnownPlan know(std::shared_ptr<const LoadedPlan> loaded, NodeId self) {
  KnownPlan known;
  known.loaded = std::move(loaded);
  index_tiles(known);
  index_homes(known);
  index_strips(known);
  index_canvases(known, self);
  return known;
}

}  // namespace shingle
