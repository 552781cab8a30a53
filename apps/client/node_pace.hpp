// NodePace: what makes this process stand for a slower machine, for as long as it runs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "devices/files/cluster_file.hpp"
#include "devices/measure/pace.hpp"

namespace shingle {

// Reads, for each tile, a file that holds a number from 1 to 1000: how many times longer this node
// takes than its pace says. What is not there or no such number counts as 1. None for an empty
// path.
Slowdown slowdown_of_file(const std::string& path);

// The cluster file's word on a node: as fast as its `gflops` where it says `pace = true`.
Pace pace_of(const ClusterFile& cluster, NodeId id);

class NodePace {
 public:
  explicit NodePace(Pace pace, const Slowdown& slowdown = {})
      : pace_(pace), changes_(slowdown != nullptr), pacer_(pace, pause_.clock(), slowdown) {}

  // The executor itself where nothing is to be slowed. This must outlive it.
  std::unique_ptr<Executor> paced(std::unique_ptr<Executor> executor);
  // What is being waited out need not be any more: for a process that ends. Any thread.
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
