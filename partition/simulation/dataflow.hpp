// Dataflow: a plan on a cluster as numbers only, so that simulating it touches no geometry.
//
// Nodes are indices into Cluster::nodes; one more stands for an owner beside the cluster. Lists lie
// one after the other in shared arrays (`Range`).
#pragma once

#include "partition/simulation/connections.hpp"

namespace shingle {

struct Range {
  uint32_t begin = 0, end = 0;
};

struct Dataflow {
  struct TileTask {
    uint32_t node = 0;
    uint32_t order = 0;  // in which a node takes ready tiles: block, awaited by others, id
    int32_t waits_for = 0;
    int64_t compute_ns = 0;
    int64_t pass_bytes = 0;
    Range leaving;        // strips in `strip_ids`
    Range local_readers;  // tiles in `tile_ids`
    Range reads, writes;  // canvases in `canvas_ids`
  };
  struct StripTask {
    uint32_t from = 0, to = 0;
    uint32_t block = 0;                    // of its first reader; outputs come last
    int64_t bytes = 0, written_bytes = 0;  // on the wire; of its target that become resident
    Range readers;                         // tiles in `tile_ids`
    int32_t source_canvas = -1, target_canvas = -1;
  };
  struct Canvas {
    uint32_t node = 0;
    int32_t users = 0;
    int64_t bytes = 0, pixel_bytes = 0;
  };

  std::vector<TileTask> tiles;     // by TileId
  std::vector<uint32_t> by_order;  // tiles
  std::vector<StripTask> strips;   // by StripId
  std::vector<uint32_t> from_frame;
  size_t outcomes = 0;  // strips that make up the result
  std::vector<Canvas> canvases;
  std::vector<uint32_t> strip_ids, tile_ids, canvas_ids;
  // By place in `canvas_ids`: what is resident of it once the tile has touched its slice. Pages
  // hold whole pixels: a span of channels touches all of them.
  std::vector<int64_t> slice_bytes;
  std::vector<uint32_t> unprompted;  // tiles that wait for nothing
  std::vector<uint32_t> homes;       // nodes with a tile
  uint32_t owner = 0;
  int64_t frame_bytes = 0, outcome_bytes = 0;  // at the owner
  std::vector<int64_t> weight_bytes;           // by node
  std::vector<PassBuffers> buffers;            // by node, for each of its slots
  std::vector<int64_t> macs;                   // by node
};

// REQUIRES: blocks in plan order that make a sound plan.
Dataflow dataflow(const Model& model, const Cluster& cluster,
                  const std::vector<const MadeBlock*>& blocks, Connections& connections,
                  std::optional<NodeId> owner);

// The same, everything worked out from the plan. REQUIRES: sound, and its homes are in the cluster.
Dataflow dataflow(const Model& model, const Cluster& cluster, const Plan& plan,
                  std::optional<NodeId> owner);

}  // namespace shingle
