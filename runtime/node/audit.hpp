// Audits: a tile is computed once more, by another node, and the contents are compared. Here is the
// judgement alone; who asks whom stands in runtime/node/node_audit.cpp.
//
//   tiles are pure: from the same windows comes one right output, whatever attempt at the frame and
//   whoever computes it. So claims can be compared across attempts, and what two nodes say
//   independently of each other is right: two that err do not err alike. Claims of other windows
//   (a tile before it was computed wrongly, and nobody audited that) say nothing about each other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/protocol/message.hpp"

namespace shingle {

struct TileClaim {
  NodeId node;
  TileContent content;
  friend bool operator==(const TileClaim&, const TileClaim&) = default;
};

// The outputs of these windows that at least two nodes claim, and more nodes than any others; none:
// undecided.
std::optional<uint64_t> agreed(const std::vector<TileClaim>& claims, uint64_t windows);

// Who ever claimed others than the agreed ones, of any windows; ascending.
std::vector<NodeId> contradicting(const std::vector<TileClaim>& claims);

}  // namespace shingle
