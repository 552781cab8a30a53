// ComputeSpeed: how fast this node computes, measured from its own tiles.
#pragma once

#include "runtime/node/node_plan.hpp"

namespace shingle {

class ComputeSpeed {
 public:
  // Takes one tile into account, for this node and for the tile's block. REQUIRES: `plan` has the
  // tile.
  void measure(KnownPlan& plan, TileId tile, Duration compute_time);
  // As other tiles of its block took; zero: none was measured yet.
  static Duration measured(const KnownPlan& plan, TileId tile);
  Duration by_work(const KnownPlan& plan, TileId tile) const;  // zero: nothing was measured yet
  // The longer of these two; zero: nothing like this tile was measured yet.
  Duration expected(const KnownPlan& plan, TileId tile) const;
  uint32_t picoseconds_per_mac() const { return picoseconds_per_mac_; }  // 0: not measured yet

 private:
  uint32_t picoseconds_per_mac_ = 0;
};

}  // namespace shingle
