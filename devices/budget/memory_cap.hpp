// Memory caps: what `memory` in a cluster file and `--memory` mean for the planner and for a node.
// A cap limits everything that a node holds in addition to its bare process
// (docs/understand/memory.md).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "devices/files/cluster_file.hpp"
#include "partition/simulation/round_load.hpp"

namespace shingle {

// Sets the same cap for every node. Plans keep weights at their homes. The kernels' memory is
// counted for executors with `threads` threads.
void cap_memory(Cluster& cluster, int64_t bytes, int threads = 1);

// How many threads the executors of the file's nodes have. A paced node uses one thread to stand
// for all its cores.
int executor_threads(const ClusterFile& file);

// A node that is asked to hold a plan.
struct CappedNode {
  NodeId id;
  int64_t memory_bytes = 0;       // 0: no cap
  std::optional<NodeId> owner{};  // of the frames, if known
  int32_t open_frames = 1;
  int threads = 1;
};

struct HeldPlan {
  const Model* model = nullptr;
  const Plan* plan = nullptr;
};

// Decides whether a node may hold one more plan in addition to those that it holds. Plans of one
// model count as plans of one stream (a rotation, new plans, stand-ins): together they have
// open_frames frames, they share one executor, and weights that several of them read are counted
// once. Streams of different models add up. The error says how much memory the plan needs and how
// much the node may use. Plans with homes that are not in the file are not refused here.
//
// The needs of a plan are computed once while it is held. One thread at a time.
class PlansUnderCap {
 public:
  PlansUnderCap(ClusterFile file, CappedNode node)
      : file_(std::move(file)), node_(std::move(node)) {}

  Status may_hold(std::span<const HeldPlan> held, const HeldPlan& wanted);

 private:
  // Layer, algorithm, channels.
  using WeightKey = std::tuple<uint32_t, Algorithm, int32_t, int32_t>;
  struct Asked {
    NodeLoad load;
    std::map<WeightKey, int64_t> weight_bytes;
    int64_t process_bytes = 0;  // of the load's other bytes: those that all streams share
  };
  struct Sum;
  void forget_all_but(std::span<const HeldPlan> held, const HeldPlan& wanted);
  const Asked* asked_by(const HeldPlan& plan);  // null: the plan needs nothing of this node

  const ClusterFile file_;
  const CappedNode node_;
  std::map<PlanHash, std::optional<Asked>> asked_;
};

// The same for a node that holds no other plan.
Status may_hold(const ClusterFile& file, const CappedNode& node, const Model& model,
                const Plan& plan);

}  // namespace shingle
