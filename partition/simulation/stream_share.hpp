// What one stream of frames takes of each node, and how a node looks to a stream beside it.
//
//   node 3 in 100 ms:  |== stream 1: 60 ms ==|.. left: 40 ms ..|
//                      for stream 2 everything takes 1 / (1 - 0.6) = 2.5 times as long there
//
// A node computes the frames of one owner in the order of their capture, whatever their streams; a
// frame waits for those before it and for no others. So no stream is starved: however much the
// others take, a quarter of the node is counted as left
// (docs/decisions/0047-streams-share-nodes.md).
#pragma once

#include <vector>

#include "partition/cluster/cluster.hpp"
#include "partition/simulation/timeline.hpp"

namespace shingle {

struct TakenNode {
  NodeId node;
  double busy = 0.0;  // of its time, from 0 to 1
  int64_t bytes = 0;  // of its memory, beside what its program takes however many streams there are
};
using StreamShare = std::vector<TakenNode>;

inline constexpr double max_busy_by_others = 0.75;

// Of a stream that was simulated on the whole cluster, with a frame every `period`: it computes
// them no faster than its own period. REQUIRES: `line` is of this cluster; period >= 0.
StreamShare share_of(const Cluster& cluster, std::optional<NodeId> owner, const Timeline& line,
                     Duration period);

// Both streams together: busy times and bytes are added.
StreamShare together(StreamShare one, const StreamShare& other);

// The node, or the cluster, as it is left by others. Algorithms, wires and ids stay. Where nothing
// is taken, it is the same value.
ClusterNode beside(ClusterNode node, const StreamShare& others);
Cluster beside(Cluster cluster, const StreamShare& others);

}  // namespace shingle
