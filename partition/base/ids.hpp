// Strong integer ids: a TileId cannot be passed where a NodeId is meant.
#pragma once

#include <cstdint>
#include <functional>

namespace shingle {

template <class Tag>
struct Id {
  uint32_t value = 0;
  friend auto operator<=>(const Id&, const Id&) = default;
};

using TensorId = Id<struct TensorTag>;      // index into Model::tensors
using LayerId = Id<struct LayerTag>;        // index into Model::layers
using ConstantId = Id<struct ConstantTag>;  // index into Model::constants
using TileId = Id<struct TileTag>;    // numbers the tiles of all blocks of a plan, in plan order
using StripId = Id<struct StripTag>;  // index into Routes::strips
using NodeId = Id<struct NodeTag>;    // chosen by the cluster file; unique in a cluster

}  // namespace shingle

template <class Tag>
struct std::hash<shingle::Id<Tag>> {
  size_t operator()(shingle::Id<Tag> id) const { return std::hash<uint32_t>{}(id.value); }
};
