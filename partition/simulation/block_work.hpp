// MadeBlock: a fused block with the work that its tiles give to their nodes, computed once so that
// a plan can be simulated many times.
#pragma once

#include "partition/cluster/cluster.hpp"
#include "partition/plan/connection.hpp"
#include "partition/plan/plan.hpp"

namespace shingle {

// The boxes of one tensor that tiles of a block make or read.
struct BlockBoxes {
  TensorId tensor;
  std::vector<TileBox> boxes;
  std::vector<uint32_t> tiles;  // by box: index within the block, ascending
};

struct MadeBlock {
  FusedBlock block;                         // tiles complete except for their ids
  std::vector<uint32_t> homes;              // by tile: index of its node
  std::vector<Duration> compute_times;      // by tile, on its home
  std::vector<BlockBoxes> inputs, outputs;  // by tensor, ascending
  std::vector<Duration> busy;               // by node
  std::vector<int64_t> macs, weight_bytes;  // by node; weights: those that the node keeps
  std::vector<PassBuffers> buffers;         // by node: of the largest pass
};

// The block's tiles must have outputs and homes; windows and costs are computed. `profiles`: by
// node of the cluster. REQUIRES: every home is in the cluster.
MadeBlock made_block(const Model& model, const Cluster& cluster,
                     const std::vector<NodeProfile>& profiles, FusedBlock block);

// Bytes of all parameters that the layer reads.
int64_t weight_bytes(const Model& model, const Layer& layer);

std::vector<NodeProfile> profiles_of(const Cluster& cluster);

// Index of a node in the cluster; nodes.size() if it is not there.
size_t index_of(const Cluster& cluster, NodeId node);

}  // namespace shingle
