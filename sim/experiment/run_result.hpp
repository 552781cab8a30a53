// Puts the result of a run together, and checks what must hold of every run.
#pragma once

#include <memory>
#include <vector>

#include "sim/experiment/frame_follower.hpp"
#include "sim/experiment/hardware_watch.hpp"
#include "sim/experiment/load_meter.hpp"
#include "sim/experiment/stream_run.hpp"

namespace shingle::sim {

struct EndedRun {
  const Experiment& experiment;
  uint64_t seed = 0;
  const VirtualCluster& cluster;
  std::vector<std::unique_ptr<StreamRun>>& streams;
  const FrameFollower& follower;
  LoadMeter& meter;
  const HardwareWatch& watch;
  std::vector<FlowOutcome> flows;
  bool stalled = false;  // frames are under way, and nothing goes on
};

RunResult run_result(const EndedRun& run);

}  // namespace shingle::sim
