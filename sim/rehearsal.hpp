// Rehearsal: the real Nodes run a rotation in virtual time, on the boards and wires that a
// planner's Cluster describes. It shows whether the planner's predictions are right.
//
// One of the nodes captures all frames at once and opens as many at a time as the stream allows. No
// tile is lent.
#pragma once

#include "partition/base/time.hpp"
#include "partition/plan/rotation.hpp"
#include "partition/simulation/timeline.hpp"
#include "sim/cluster.hpp"

namespace shingle::sim {

struct Rehearsed {
  // Of the first frame. With one open frame at a time: of the slowest frame.
  Duration latency{};
  // The time between two frames in the steady state; the latency if there are too few frames.
  Duration period{};
  Duration typical_latency{};         // of the median frame, from its opening to its delivery
  int64_t payload_bytes = 0;          // on the wires, per frame
  std::vector<int64_t> canvas_bytes;  // by node, at the peak; without frames that wait
};

// The boards and wires of the cluster, for nodes that each open so many of their own frames at
// once. They lend no tiles, keep no trace, and wait as long as programs do.
ClusterOptions cluster_options(const Cluster& cluster, int32_t open_frames);

// The error says what the nodes did wrong. REQUIRES: sound plans, `owner` is in the cluster.
Result<Rehearsed> rehearse(const Model& model, const Cluster& cluster, const Rotation& rotation,
                           NodeId owner, StreamOfFrames stream);

}  // namespace shingle::sim
