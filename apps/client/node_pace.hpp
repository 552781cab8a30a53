// NodePace: makes this process as slow as a slower machine, as long as it runs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "devices/files/cluster_file.hpp"
#include "devices/measure/pace.hpp"

namespace shingle {

// A slowdown that is read from a file for each tile: a number from 1 to 1000, how many times longer
// the node takes than its pace says. A missing file or another content counts as 1. An empty path
// gives no slowdown.
Slowdown slowdown_of_file(const std::string& path);

// The node's pace by the cluster file: its `gflops` if the file says `pace = true`.
Pace pace_of(const ClusterFile& cluster, NodeId id);

class NodePace {
 public:
  explicit NodePace(Pace pace, const Slowdown& slowdown = {})
      : pace_(pace), changes_(slowdown != nullptr), pacer_(pace, pause_.clock(), slowdown) {}

  // The executor, slowed down; the executor itself if nothing slows it. This must outlive it.
  std::unique_ptr<Executor> paced(std::unique_ptr<Executor> executor);
  // Ends the waiting, because the process ends. Any thread may call it.
  void end() { pause_.end(); }
  // Adds "pace", if anything was slowed. REQUIRES: the executor computes no more.
  void report(nlohmann::ordered_json& json) const;

 private:
  bool slows() const { return pace_.gflops > 0.0 || pace_.slowness > 1.0 || changes_; }

  const Pace pace_;
  const bool changes_;
  BreakablePause pause_;
  Pacer pacer_;
};

}  // namespace shingle
