// Tally: who computed what in a run, counted tile by tile.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/protocol/event.hpp"

namespace shingle {

class Tally {
 public:
  // `homes`: the plan's, ascending. Others that compute a stolen tile become members too.
  explicit Tally(std::vector<NodeId> homes);

  void tile_done(const LoadedPlan& plan, TileId tile, NodeId computed_by);

  const std::vector<NodeId>& members() const { return members_; }  // ascending
  const std::vector<uint64_t>& tiles() const { return tiles_; }    // by member
  const std::vector<uint64_t>& thefts() const { return thefts_; }  // by member: of others' tiles
  const std::vector<int64_t>& macs() const { return macs_; }       // by member
  uint64_t all_thefts() const;
  int64_t lent_bytes() const { return lent_bytes_; }  // windows and outputs of stolen tiles

 private:
  size_t place_of(NodeId node);

  std::vector<NodeId> members_;
  std::vector<uint64_t> tiles_, thefts_;
  std::vector<int64_t> macs_;
  int64_t lent_bytes_ = 0;
};

}  // namespace shingle
