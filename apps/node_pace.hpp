// NodePace: what makes this process stand for a slower machine, for as long as it runs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "devices/cluster_file.hpp"
#include "devices/pace.hpp"

namespace shingle {

// The cluster file's word on a node: as fast as its `gflops` where it says `pace = true`.
Pace pace_of(const ClusterFile& cluster, NodeId id);

class NodePace {
 public:
  explicit NodePace(Pace pace) : pace_(pace), pacer_(pace, pause_.clock()) {}

  // The executor itself where nothing is to be slowed. This must outlive it.
  std::unique_ptr<Executor> paced(std::unique_ptr<Executor> executor);
  // What is being waited out need not be any more: for a process that ends. Any thread.
  void end() { pause_.end(); }
  // Adds "pace", if anything was slowed. REQUIRES: the executor computes no more.
  void report(nlohmann::ordered_json& json) const;

 private:
  bool slows() const { return pace_.gflops > 0.0 || pace_.slowness > 1.0; }

  const Pace pace_;
  BreakablePause pause_;
  Pacer pacer_;
};

}  // namespace shingle
