// Slowness: how many times longer tiles really take on a node than its profile says, seen frame by
// frame.
//
//   frame 7   node 0: 40 ms of 40 predicted -> 1.0      node 3: 62 ms of 31 predicted -> 2.0
//
// A node's tiles of one frame are one sample: a profile is wrong by a few tenths for each kind of
// layer, and a whole frame's tiles are the mixture that the plan gave the node. Of short samples it
// takes five in a row to say something, of long ones two: what holds a tile up takes as long in
// both.
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
  static constexpr double enough_ns = 4e8;  // predicted for all samples together; then no more than
                                            // the fewest are needed
  using Samples = std::vector<double>;      // ascending

  void tile_done(uint64_t frame, NodeId node, double predicted_ns, double took_ns);
  void frame_done(uint64_t frame);

  // The last frames' samples, as few as say something; none before there are so many.
  std::optional<Samples> samples(NodeId node) const;

 private:
  struct Sum {
    double predicted_ns = 0.0, took_ns = 0.0;
  };
  std::map<uint64_t, std::map<NodeId, Sum>> open_;  // by frame; bounded: the oldest make way
  std::map<NodeId, std::deque<Sum>> seen_;          // the latest first, at most samples_kept
};

// The node as it would be if everything took so many times longer there.
ClusterNode slowed(ClusterNode node, double slowness);

}  // namespace shingle
