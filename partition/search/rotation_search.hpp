// The search for a rotation: for a goal of throughput, it compares groups of nodes that compute
// frames in turn with one plan for all nodes.
//
//   one plan        one group per node      equal groups         (at most as many groups as open
//   [0 1 2 3]       [0] [1] [2] [3]         [0 3] [1 2]           frames; a slow node joins others)
//
// Each group's plan is found as if there were no other groups. Then all groups together are
// simulated, with one owner's port and delivery in order.
#pragma once

#include "partition/plan/rotation.hpp"
#include "partition/search/plan_search.hpp"

namespace shingle {

// How a turn was drawn: its nodes, and the outline that find_plan() found for them.
struct TurnOutline {
  std::vector<NodeId> nodes;  // ascending
  Outline outline;
};

struct FoundRotation {
  Rotation rotation;                  // predictions filled in; their period is that of the stream
  std::vector<TurnOutline> outlines;  // by turn; empty for plans that were not found by a search
  Timeline line;                      // of frames one by one
  Timeline stream;                    // with the goal's open frames
  int32_t trials = 0;                 // number of plans simulated
};

// The best rotation that a bounded search finds: that of find_plan() alone, unless frames in turn
// give a clearly shorter period within the caps and the deadline. Deterministic; the errors are
// those of find_plan().
Result<FoundRotation> find_rotation(const Model& model, const Cluster& cluster, const Goal& goal,
                                    int64_t allowance = half_a_second);

// The same with the method of find_plan_near(): turn by turn, and with other shares. REQUIRES:
// `from` is not empty.
Result<FoundRotation> find_rotation_near(const Model& model, const Cluster& cluster,
                                         const Goal& goal, const std::vector<TurnOutline>& from,
                                         const std::vector<double>& speed_ups, int64_t allowance);

// Given plans with the results of their simulation. REQUIRES: the plans are sound, and their homes
// are in the cluster.
FoundRotation simulated(const Model& model, const Cluster& cluster, const Goal& goal,
                        Rotation rotation);

// The value that the goal minimises, in its unit (nanoseconds, nanojoules, bytes).
double asked_of(const Goal& goal, const FoundRotation& found);

// Frames per second of a node that computes whole frames.
double speed_of(const Model& model, const NodeProfile& profile, WinogradUse winograd);

}  // namespace shingle
