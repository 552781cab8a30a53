// A loaded plan, with tables that a node derives from it once, so that it need not search while
// frames run.
#pragma once

#include <memory>
#include <vector>

#include "runtime/protocol/event.hpp"

namespace shingle {

struct KnownPlan {
  std::shared_ptr<const LoadedPlan> loaded;
  std::vector<NodeId> homes;  // ascending
  // Homes with a tile that waits for no strip, because its windows lie in padding. The owner has to
  // tell them to begin.
  std::vector<NodeId> unprompted;
  std::vector<const Tile*> tiles;           // by id
  std::vector<uint32_t> block_of_tile;      // by tile
  std::vector<uint64_t> order_of_tile;      // by tile: those that other nodes wait for come first
  std::vector<uint32_t> block_of_strip;     // by strip: of its first reader; outputs come last
  std::vector<const CanvasSpec*> canvases;  // this node's
  std::vector<int32_t> canvas_of_tensor;    // index into `canvases`, or -1
  std::vector<Duration> measured;           // by block: mean compute time here; zero: not yet

  const Routes& routes() const { return loaded->routes; }
  const PlanHash& hash() const { return loaded->hash; }
  bool is_home(NodeId node) const;
};

KnownPlan know(std::shared_ptr<const LoadedPlan> loaded, NodeId self);

}  // namespace shingle
