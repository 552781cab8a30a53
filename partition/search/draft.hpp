// Draft: a plan in the form that the search changes: for each block a run of positions in the layer
// order, and how the block is dealt to the nodes. The Workshop turns drafts into plans and
// simulates them. It keeps the blocks that it has made, so a draft with one changed block costs the
// work of one block.
#pragma once

#include <limits>
#include <map>
#include <optional>

#include "partition/search/joints.hpp"
#include "partition/search/layer_order.hpp"
#include "partition/search/layout.hpp"
#include "partition/simulation/timeline.hpp"

namespace shingle {

struct DraftBlock {
  size_t begin = 0, end = 0;  // positions of the order
  Layout layout;
  friend bool operator==(const DraftBlock&, const DraftBlock&) = default;
  friend auto operator<=>(const DraftBlock&, const DraftBlock&) = default;
};
using Draft = std::vector<DraftBlock>;

struct Verdict {
  double value = 0.0, waste = 0.0;  // see score.hpp
};

// A draft is of interest only if its value is at most this one, and its score is less.
struct Bar {
  double value = std::numeric_limits<double>::max(), score = std::numeric_limits<double>::max();
  double waste_weight = 1.0;
};

class Workshop {
 public:
  // All must outlive this object. REQUIRES: at least one node.
  Workshop(const Model& model, const Cluster& cluster, const LayerOrder& order, const Goal& goal,
           WinogradUse winograd);

  const MadeBlock& make(const DraftBlock& block);

  // The largest computing time of any node for the draft; no simulated time can be shorter.
  Duration busiest(const Draft& draft);

  Plan plan(const Draft& draft);
  Timeline trial(const Draft& draft, StreamOfFrames stream = {});
  // No value if it is sure that the draft is not of interest. What is known of a draft is kept; it
  // is counted as spent all the same.
  std::optional<Verdict> judge(const Draft& draft, const Bar& bar);

  // Shares with which all nodes take equally long for positions [begin, end), halos not counted.
  std::vector<double> fair_shares(size_t begin, size_t end);

  int64_t model_macs() const { return model_macs_; }  // at least 1

  const Model& model() const { return model_; }
  const Cluster& cluster() const { return cluster_; }
  const LayerOrder& order() const { return order_; }
  const Goal& goal() const { return goal_; }
  size_t owner() const { return owner_; }  // index; nodes.size(): the owner is not in the cluster
  // Tiles and strips simulated so far, times frames. The search's allowance is in this unit.
  int64_t spent() const { return spent_; }

 private:
  using Blocks = std::vector<const MadeBlock*>;
  struct Known {
    int64_t macs = 0, wire_bytes = 0, spent = 0;
    std::optional<Verdict> verdict;
    Duration longer_than{};  // without a verdict: one frame takes longer than this
  };

  Blocks blocks_of(const Draft& draft);
  void simulate_draft(const Blocks& blocks, const Bar& bar, Known& known);
  FusedBlock layers_of(size_t begin, size_t end) const;
  std::vector<DealtTile> deal_block(const DraftBlock& draft, const FusedBlock& block,
                                    const std::vector<TensorId>& outputs) const;

  const Model& model_;
  const Cluster& cluster_;
  const LayerOrder& order_;
  const Goal& goal_;
  const WinogradUse winograd_;
  const std::vector<NodeProfile> profiles_;
  const size_t owner_;
  const Granule granule_;
  const Joints joints_;
  const int64_t model_macs_;
  std::map<DraftBlock, MadeBlock> made_;
  Connections connections_;
  std::map<Blocks, Known> known_;
  std::map<std::pair<size_t, size_t>, std::vector<double>> shares_;
  int64_t spent_ = 0;
};

// The draft with blocks whose outputs nobody reads joined to their neighbours; they would have no
// tiles.
Draft without_idle_blocks(const Model& model, const LayerOrder& order, const Draft& draft);

}  // namespace shingle
