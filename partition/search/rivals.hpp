// Rivals: the usual ways to distribute a network, for comparison with the planner's choice.
#pragma once

#include <string>

#include "partition/simulation/timeline.hpp"

namespace shingle {

struct Rival {
  std::string name;         // "all on node 2", "a pipeline", ...
  Timeline line;            // of one frame alone
  Timeline stream;          // with `open_frames`
  int32_t open_frames = 1;  // of `stream`; if plans take turns, as many as there are plans
  int64_t macs = 0;         // per frame, redundant ones included
  bool fits = true;         // within the memory caps
};

// Ways that are impossible for the model (a pipeline of one layer) are left out. REQUIRES: at least
// one node.
std::vector<Rival> rivals(const Model& model, const Cluster& cluster, const Goal& goal);

}  // namespace shingle
