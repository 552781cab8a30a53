// Audits: a tile is computed once more, by another node, and the contents are compared. This file
// judges what nodes claim; runtime/node/owner/own_frame_audits.cpp says who asks whom.
//
// Tiles are pure: the same windows give one right output, in each attempt at the frame and on each
// node. So claims can be compared across attempts. What two nodes claim independently is right,
// because two errors are not alike. Claims about different windows cannot be compared: an earlier
// tile may have been computed wrongly without an audit.
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

// The outputs that most nodes claim for these windows, and at least two; none: undecided.
std::optional<uint64_t> agreed(const std::vector<TileClaim>& claims, uint64_t windows);

// The nodes that claimed other outputs than the agreed ones, for any windows; ascending.
std::vector<NodeId> contradicting(const std::vector<TileClaim>& claims);

}  // namespace shingle
