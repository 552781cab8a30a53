// The simulation of a plan: the time of every computation and transfer, before anything is
// executed.
//
//   node 0  |scatter|[tile][tile]..[tile]|  [tile]...            -> result
//   node 1        [tile]..[tile][tile]~~~[tile]..               ~: waits for a halo
//   wires    ====  ==  ==   ===                =====
//
// A node takes ready tiles in the runtime's order (frame, block, those that others wait for, id),
// one per slot. Strips are sent as soon as their tile is computed. The owner sends frames tile by
// tile. A stream keeps a fixed number of frames open and delivers them in order. Loans between
// nodes are not simulated; they only make plans faster.
#pragma once

#include <memory>
#include <string>

#include "partition/simulation/round_load.hpp"

namespace shingle {

struct StreamOfFrames {
  int32_t frames = 1, open_frames = 1;
};

// Long enough to measure the steady state of plans that take turns in rounds of this length.
StreamOfFrames steady_stream(int32_t open_frames, size_t round = 1);

struct TileSpan {
  Time begin{}, end{};
};

struct Timeline {
  Duration
      latency{};  // of a frame from capture: the first frame, or the slowest of frames one by one
  Duration
      period{};  // between results in the steady state; the latency if there are too few frames
  Duration typical_latency{};   // median over the frames of the stream, each from its opening
  std::vector<Time> delivered;  // by frame
  std::vector<TileSpan> tiles;  // of the first frame, by TileId
  std::vector<NodeLoad> nodes;  // of the cluster, ascending
  std::vector<LinkLoad> links;  // those that carry data, ascending
  int64_t wire_bytes = 0;       // per frame
  double energy_joules =
      0.0;  // of one frame alone: idle power for its whole time, plus power for the work
};

// Frame i uses turns[i % size]. All plans are for the same cluster and owner. Numbers per frame are
// the mean of a round. REQUIRES: at least one turn.
Timeline simulate(const Cluster& cluster, const std::vector<const Dataflow*>& turns,
                  StreamOfFrames stream);

// The latency of one frame and all else, or no value as soon as it is sure that the frame takes
// longer than `most`: it is so late, or a node has more work left than time.
std::optional<Timeline> simulate_within(const Cluster& cluster, const Dataflow& flow,
                                        Duration most);

// The same for one plan, with everything computed from it.
Timeline simulate(const Model& model, const Cluster& cluster, const Plan& plan,
                  std::optional<NodeId> owner, StreamOfFrames stream);

}  // namespace shingle
