// Routes: the dataflow of a plan, computed once so that a running node computes no geometry. Every
// node derives the same table from the same plan, so a message only needs to give a strip's index.
#pragma once

#include <optional>
#include <vector>

#include "partition/plan/plan.hpp"

namespace shingle {

// Strip: a box of one tensor that one tile's output (or the frame) must deliver to one node; the
// plan promises it. Large boxes are cut into strips of at most max_strip_bytes. Strips of one
// tensor to one destination never overlap, so each is pasted once. A tile is ready when all strips
// that it waits for have arrived. On the wire, a strip travels as one Piece (runtime/protocol).
//
//   output of tile 0 (node 1)  |  windows of tiles on node 2
//   +---------------------+----+....
//   |                     |####|   :      ####: the strip from tile 0 to node 2
//   |                     |####|   :
//   +---------------------+----+....
struct Strip {
  TensorId tensor;
  Region region;
  std::optional<TileId> producer;     // none: the frame itself, sent by its owner
  std::optional<NodeId> destination;  // none: the frame's owner, who collects the model's outputs
  int64_t bytes = 0;                  // on the wire
};

// One node's part of one tensor: the hull of what its tiles put out and read.
struct CanvasSpec {
  NodeId node;
  TensorId tensor;
  Region region;
  // How often it is used: by tiles of this node that write it, tiles with a window on it, and
  // strips sent from it. Writers count, because a tile whose output nobody reads may be the last
  // user.
  int32_t users = 0;
};

struct Routes {
  std::vector<Strip>
      strips;  // frame strips first (tile by tile, round the homes), then by producer
  std::vector<std::vector<StripId>>
      leaving;  // by tile: strips to send once it is computed, most urgent first
  std::vector<StripId> from_frame;  // in sending order
  std::vector<std::vector<TileId>>
      waiting_on_strip;  // by strip: tiles at its destination that need it
  std::vector<std::vector<TileId>>
      waiting_on_tile;  // by tile: tiles at the same home that read its output from the canvas
  std::vector<int32_t> waits_for;    // by tile: number of strips and local tiles
  std::vector<CanvasSpec> canvases;  // by (node, tensor), ascending
  std::vector<StripId> to_owner;  // all strips that must arrive before the frame can be delivered
};

inline constexpr int64_t max_strip_bytes = 16 * 1024;

Routes make_routes(const Model& model, const Plan& plan);

// Cuts a box into boxes of at most `max_bytes` each (but at least one element), rows first, in (y,
// x, c) order. Loans between nodes are cut by the same rule, so the index of a part determines its
// region.
std::vector<Region> strip_regions(const Region& region, int64_t element_bytes,
                                  int64_t max_bytes = max_strip_bytes);

int64_t wire_bytes(const Plan& plan, TensorId tensor, const Region& region);
int64_t wire_bytes(const Routes& routes);  // per frame, if no tile is lent and the owner is no home

}  // namespace shingle
