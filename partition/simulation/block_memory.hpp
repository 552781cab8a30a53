// BlockMemory: what each node keeps in memory for the tiles of one block, computed with the
// cluster's footprint: weights (each layer and range of channels once) and the buffers of the
// largest pass. A node keeps them for every tile that it may compute (WeightPlaces): its own tiles
// and those that it may borrow.
#pragma once

#include <map>
#include <set>

#include "partition/cluster/cluster.hpp"

namespace shingle {

class BlockMemory {
 public:
  // Both must outlive this object. REQUIRES: a footprint.
  BlockMemory(const Model& model, const Cluster& cluster) : model_(model), cluster_(cluster) {}

  // Adds a tile of the block; `home` is the index of its node.
  void add(size_t home, const TileProgram& program);

  std::vector<int64_t> weight_bytes() const;  // by node
  std::vector<PassBuffers> buffers() const;   // by node

 private:
  // Tiles of the same output channels read the same weights.
  using Channels = std::vector<std::pair<int32_t, int32_t>>;
  // Layer, algorithm, channels.
  using StepKey = std::tuple<uint32_t, Algorithm, int32_t, int32_t>;
  struct Kept {
    std::set<size_t> nodes;
    std::map<StepKey, int64_t> weight_bytes;
    PassBuffers buffers;
  };
  bool keeps(const Kept& kept, size_t node) const {
    return cluster_.weights == WeightPlaces::everywhere || kept.nodes.contains(node);
  }

  const Model& model_;
  const Cluster& cluster_;
  std::map<Channels, Kept> kept_;
};

}  // namespace shingle
