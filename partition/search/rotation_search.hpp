// The search for a rotation: under a goal of throughput, groups of nodes that take frames in turn
// are held against one plan for all nodes.
//
//   one plan        one group a node         groups alike         (as many as frames are open, at
//   [0 1 2 3]       [0] [1] [2] [3]          [0 3] [1 2]           most; a slow node joins others)
//
// Each group's plan is found as if there were no others; what they do together, at one owner's port
// and in the order of delivery, is then simulated.
#pragma once

#include "partition/plan/rotation.hpp"
#include "partition/search/plan_search.hpp"

namespace shingle {

// How a turn was drawn: which nodes were there, and what find_plan() made of them.
struct TurnOutline {
  std::vector<NodeId> nodes;  // ascending
  Outline outline;
};

struct FoundRotation {
  Rotation rotation;                  // predictions filled in; their period is that of the stream
  std::vector<TurnOutline> outlines;  // by turn; empty for plans that were made otherwise
  Timeline line;                      // of frames one by one
  Timeline stream;                    // with the goal's open frames
  int32_t trials = 0;                 // plans simulated on the way
};

// The best rotation that a bounded search finds: that of find_plan() alone, unless frames in turn
// come clearly faster, within the caps and the deadline. Deterministic, with find_plan()'s errors.
Result<FoundRotation> find_rotation(const Model& model, const Cluster& cluster, const Goal& goal,
                                    int64_t allowance = half_a_second);

// The same as find_plan_near(): turn by turn, and with other shares. REQUIRES: `from` is not empty.
Result<FoundRotation> find_rotation_near(const Model& model, const Cluster& cluster,
                                         const Goal& goal, const std::vector<TurnOutline>& from,
                                         const std::vector<double>& speed_ups, int64_t allowance);

// Plans that were made otherwise, with what the simulation says of them. REQUIRES: sound, and their
// homes are in the cluster.
FoundRotation simulated(const Model& model, const Cluster& cluster, const Goal& goal,
                        Rotation rotation);

// What the goal asks for, in its unit (nanoseconds, nanojoules, bytes); lower is better.
double asked_of(const Goal& goal, const FoundRotation& found);

// Frames a second of a node that computes whole ones.
double speed_of(const Model& model, const NodeProfile& profile, WinogradUse winograd);

}  // namespace shingle
