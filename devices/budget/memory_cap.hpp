// Caps on memory: what `memory` in a cluster file and `--memory` mean to the planner and to a node.
// A cap is for everything that a node holds beside its bare process (docs/understand/memory.md).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "devices/files/cluster_file.hpp"
#include "partition/simulation/round_load.hpp"

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

struct HeldPlan {
  const Model* model = nullptr;
  const Plan* plan = nullptr;
};

// Beside the plans that the node holds already. Plans of one model are taken for those of one
// stream (plans in turn, plans anew, stand-ins): their frames are open_frames together, they
// compute on one executor, and a layer's weights that several of them read are there once. Streams
// of several models stand beside each other. The sentence says what is asked of the node and what
// it may use. A plan with homes that are not in the file is for others to refuse.
//
// What a plan asks is worked out once while it is held. One thread at a time.
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
    int64_t process_bytes = 0;  // of the load's other bytes: however many streams there are
  };
  struct Sum;
  void forget_all_but(std::span<const HeldPlan> held, const HeldPlan& wanted);
  const Asked* asked_by(const HeldPlan& plan);  // null: nothing of this node

  const ClusterFile file_;
  const CappedNode node_;
  std::map<PlanHash, std::optional<Asked>> asked_;
};

// The same where nothing else is held.
Status may_hold(const ClusterFile& file, const CappedNode& node, const Model& model,
                const Plan& plan);

}  // namespace shingle
