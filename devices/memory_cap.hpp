// Caps on memory: what `memory` in a cluster file and `--memory` mean to the planner and to a node.
// A cap is for everything that a node holds beside its bare process (docs/memory.md).
#pragma once

#include "devices/cluster_file.hpp"

namespace shingle {

// Every node may hold so much; plans keep weights at home, and what kernels hold is counted for
// executors of so many threads.
void cap_memory(Cluster& cluster, int64_t bytes, int threads = 1);

// How many threads the executors of a file's nodes have; a paced one stands for its cores with one.
int executor_threads(const ClusterFile& file);

// A node that is asked to hold a plan.
struct CappedNode {
  NodeId id;
  int64_t memory_bytes = 0;       // 0: no cap
  std::optional<NodeId> owner{};  // of the frames, if it is known
  int32_t open_frames = 1;
  int threads = 1;
};

// The sentence says what the plan asks of the node and what it may use. A plan with homes that are
// not in the file is for others to refuse.
Status may_hold(const ClusterFile& file, const CappedNode& node, const Model& model,
                const Plan& plan);

}  // namespace shingle
