// Rehearsal: a rotation carried out by the real Nodes in virtual time, on the boards and wires that
// a planner's Cluster describes. What the planner predicts can be held against it.
//
// Frames are captured by one of the nodes all at once; so many are open at a time. Nothing is lent.
#pragma once

#include "partition/plan/rotation.hpp"
#include "partition/simulation/timeline.hpp"

namespace shingle::sim {

struct Rehearsed {
  Duration latency{};                 // of the first frame, or the slowest of one by one
  Duration period{};                  // between later ones; the latency if there are too few
  Duration typical_latency{};         // the median frame, from when it was opened
  int64_t payload_bytes = 0;          // on the wires, per frame
  std::vector<int64_t> canvas_bytes;  // by node, at their peak; frames that wait are not counted
};

// An error says what the nodes did wrong. REQUIRES: sound plans, `owner` is in the cluster.
Result<Rehearsed> rehearse(const Model& model, const Cluster& cluster, const Rotation& rotation,
                           NodeId owner, StreamOfFrames stream);

}  // namespace shingle::sim
