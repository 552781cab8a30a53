// Rivals: the ways to run a network that people know, for comparison with what the planner chose.
#pragma once

#include <string>

#include "partition/simulation/timeline.hpp"

namespace shingle {

struct Rival {
  std::string name;         // "all on node 2", "a pipeline", ...
  Timeline line;            // of one frame alone
  Timeline stream;          // with `open_frames`
  int32_t open_frames = 1;  // of `stream`; in turn, as many as there are plans
  int64_t macs = 0;         // of a frame, redundant ones included
  bool fits = true;         // keeps the caps
};

// What cannot be made of the model (a pipeline of one layer) is left out. REQUIRES: a node.
std::vector<Rival> rivals(const Model& model, const Cluster& cluster, const Goal& goal);

}  // namespace shingle
