// Slowness: how many times longer tiles take on a node than its profile predicts, measured frame by
// frame.
//
//   frame 7   node 0: 40 ms of 40 predicted -> 1.0      node 3: 62 ms of 31 predicted -> 2.0
//
// A node's tiles of one frame are one sample. A profile is wrong by a few tenths for each kind of
// layer, and all tiles of a frame together are the mixture that the plan gives to the node. Five
// short samples in a row are needed for a result, but only two long ones: a delay by something else
// takes as long in both.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "partition/cluster/cluster.hpp"

namespace shingle {

class SlownessWatch {
 public:
  static constexpr size_t fewest_samples = 2, samples_kept = 5;
  // Predicted time of all samples together, above which the smallest number of them is enough.
  static constexpr Duration enough = std::chrono::milliseconds(400);
  using Samples = std::vector<double>;  // ascending

  void tile_done(uint64_t frame, NodeId node, Duration predicted, Duration took);
  void frame_done(uint64_t frame);

  // The samples of the last frames, as few as are needed; none if there are not enough yet.
  std::optional<Samples> samples(NodeId node) const;

 private:
  struct Sum {
    Duration predicted{}, took{};
  };
  std::map<uint64_t, std::map<NodeId, Sum>> open_;  // by frame; bounded: the oldest are dropped
  std::map<NodeId, std::deque<Sum>> seen_;          // the latest first, at most samples_kept
};

// The node as if everything took `slowness` times as long on it.
ClusterNode slowed(ClusterNode node, double slowness);

}  // namespace shingle
