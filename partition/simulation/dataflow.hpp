// Dataflow: a plan on a cluster in numbers only, so that a simulation needs no geometry.
//
// Nodes are indices into Cluster::nodes; one more index stands for an owner that is not in the
// cluster. All lists of one kind are consecutive parts (`Range`) of one shared array.
#pragma once

#include "partition/simulation/connections.hpp"

namespace shingle {

struct Range {
  uint32_t begin = 0, end = 0;
};

struct Dataflow {
  struct TileTask {
    uint32_t node = 0;
    uint32_t order = 0;  // order in which a node takes ready tiles: block, awaited by others, id
    int32_t waits_for = 0;
    Duration compute_time{};
    int64_t pass_bytes = 0;
    Range leaving;        // strips in `strip_ids`
    Range local_readers;  // tiles in `tile_ids`
    Range reads, writes;  // canvases in `canvas_ids`
  };
  struct StripTask {
    uint32_t from = 0, to = 0;
    uint32_t block = 0;  // of its first reader; strips to the owner come last
    int64_t bytes = 0,
            written_bytes = 0;  // on the wire; bytes of the target canvas that become resident
    Range readers;              // tiles in `tile_ids`
    int32_t source_canvas = -1, target_canvas = -1;
    uint32_t result = 0;  // without a target canvas: index in `results`
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
  size_t outcomes = 0;  // number of strips that make up the result
  std::vector<Canvas> canvases;
  std::vector<uint32_t> strip_ids, tile_ids, canvas_ids;
  // By index in `canvas_ids`: the bytes of the canvas that are resident after the tile has accessed
  // its slice. Pages contain whole pixels, so access to a range of channels makes all channels
  // resident.
  std::vector<int64_t> slice_bytes;
  std::vector<uint32_t> unprompted;  // tiles that wait for nothing
  std::vector<uint32_t> homes;       // nodes with at least one tile
  uint32_t owner = 0;
  int64_t frame_bytes = 0, outcome_bytes = 0;  // at the owner; of all results
  std::vector<int64_t> results;                // bytes of each result at the owner
  std::vector<int64_t> weight_bytes;           // by node
  std::vector<PassBuffers> buffers;            // by node, for each of its slots
  std::vector<int64_t> macs;                   // by node
};

// REQUIRES: blocks in plan order that make a sound plan.
Dataflow dataflow(const Model& model, const Cluster& cluster,
                  const std::vector<const MadeBlock*>& blocks, Connections& connections,
                  std::optional<NodeId> owner);

// The same, with everything computed from the plan. REQUIRES: the plan is sound, and its homes are
// in the cluster.
Dataflow dataflow(const Model& model, const Cluster& cluster, const Plan& plan,
                  std::optional<NodeId> owner);

}  // namespace shingle
