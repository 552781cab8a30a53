// The simulation of a plan: when what is computed and sent, before anything runs.
//
//   node 0  |scatter|[tile][tile]..[tile]|  [tile]...            -> result
//   node 1        [tile]..[tile][tile]~~~[tile]..               ~: waits for a halo
//   wires    ====  ==  ==   ===                =====
//
// Nodes take ready tiles in the runtime's order (frame, block, those that others wait for, id), one
// for each slot; strips leave as soon as their tile is computed; frames leave the owner tile by
// tile; a stream keeps so many frames open, and delivers them in order. Lending between nodes is
// left out: it only helps.
#pragma once

#include <memory>
#include <string>

#include "partition/simulation/round_load.hpp"

namespace shingle {

struct StreamOfFrames {
  int32_t frames = 1, open_frames = 1;
};

// Long enough to see the steady state of plans that are taken in turn, so many to a round.
StreamOfFrames steady_stream(int32_t open_frames, size_t round = 1);

struct TileSpan {
  int64_t begin_ns = 0, end_ns = 0;
};

struct Timeline {
  int64_t latency_ns = 0;  // of a frame from capture: the first, or the slowest of one by one
  int64_t period_ns = 0;   // between later results, or the latency if there are too few
  int64_t typical_latency_ns = 0;  // of the frames of the stream, from opening: the median
  std::vector<int64_t> delivered_ns;
  std::vector<TileSpan> tiles;  // of the first frame, by TileId
  std::vector<NodeLoad> nodes;  // of the cluster, ascending
  std::vector<LinkLoad> links;  // that carry anything, ascending
  int64_t wire_bytes = 0;       // per frame
  double energy_joules = 0.0;   // of one frame alone: idle watts for all of its time, busy for work
};

// Frame i runs on turns[i % size], a round; all on the same cluster and owner. What is said per
// frame is the mean of a round. REQUIRES: one at least.
Timeline simulate(const Cluster& cluster, const std::vector<const Dataflow*>& turns,
                  StreamOfFrames stream);

// The same for one plan, everything worked out from it.
Timeline simulate(const Model& model, const Cluster& cluster, const Plan& plan,
                  std::optional<NodeId> owner, StreamOfFrames stream);

}  // namespace shingle
