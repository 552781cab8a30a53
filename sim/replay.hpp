// Replay: real Nodes do in virtual time what a trace says that nodes did: the same plans, frames
// captured at the same times. Boards and wires are those of a planner's Cluster, which may be
// another one than the traced.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "partition/cluster/cluster.hpp"
#include "sim/cluster.hpp"

namespace shingle::sim {

// The frames of one owner.
struct ReplayedSource {
  struct Capture {
    Duration after{};  // the first capture of all sources
    PlanHash plan{};
  };
  NodeId owner;
  std::vector<Capture> captures;  // ascending
  int32_t open_frames = 1;        // most at once
  // If it is set, the source waits for its frames: the first `open_frames` are captured as said,
  // each further one so long after a frame has ended.
  std::optional<Duration> refill{};
};

struct ReplayScript {
  std::vector<Plan> plans;  // all that captures name
  std::vector<ReplayedSource> sources;
  std::function<std::optional<Duration>(NodeId, const Compute&)> compute_time{};  // or the profile
  std::function<void(const TraceEvent&)> on_trace{};
};

struct ReplayedFrame {
  FrameKey key;
  Time captured{};
  std::optional<Time> ended{};
  bool delivered = false;
};

// By owner and number. The error says what the nodes did wrong. REQUIRES: sound plans of `model`
// whose homes are in the cluster; each source's owner is in the cluster.
Result<std::vector<ReplayedFrame>> replay(const Model& model, const Cluster& cluster,
                                          const ReplayScript& script);

}  // namespace shingle::sim
