// The load of a round of plans on nodes and links, independent of its timing: work, bytes, weights
// and buffers. Numbers per frame are the mean of the round.
#pragma once

#include <string>

#include "partition/simulation/dataflow.hpp"

namespace shingle {

struct NodeLoad {
  NodeId node;
  Duration busy{};
  int64_t macs = 0;                            // per frame
  int64_t sent_bytes = 0, received_bytes = 0;  // per frame
  int64_t weight_bytes = 0, canvas_bytes = 0;  // canvases: the peak over all open frames
  int64_t buffer_bytes = 0, other_bytes = 0;   // from the cluster's footprint
  int64_t peak_bytes = 0;                      // of all of these together
};

// "24.3 MiB", rounded up; and "weights 13.1 MiB, buffers 1.6 MiB, ...".
std::string memory_words(int64_t bytes);
std::string parts(const NodeLoad& load);

struct LinkLoad {
  NodeId from, to;
  int64_t bytes = 0;  // per frame
};

struct RoundLoad {
  std::vector<NodeLoad> nodes;  // of the cluster, ascending; without canvases and peaks
  std::vector<LinkLoad> links;  // those that carry data, ascending
  int64_t wire_bytes = 0;       // per frame
  Duration busiest{};  // per frame, of the node that computes longest, divided by its slots
};

// `turns`: plans of one owner on this cluster, at least one. `profiles`: by node of the cluster.
RoundLoad round_load(const Cluster& cluster, const std::vector<const Dataflow*>& turns,
                     const std::vector<NodeProfile>& profiles, int32_t open_frames);

// Copies of a result in the owner's program.
int64_t result_bytes(const Cluster& cluster, const Dataflow& plan);

}  // namespace shingle
