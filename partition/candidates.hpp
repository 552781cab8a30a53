// What the planner chooses from: where blocks may end, and which grids may share a network.
#pragma once

#include "partition/layer_order.hpp"
#include "partition/planner.hpp"

namespace shingle {

// Where blocks may end. The layers fall into parts of about equal MACs, 48 over the whole model,
// and of each part the place is taken that the fewest bytes cross.
class Borders {
 public:
  // Both must outlive it.
  Borders(const Model& model, const LayerOrder& order);

  // Positions where a block that starts within `stretch` may end, ascending; the last is
  // stretch.end.
  std::vector<size_t> ends(const Stretch& stretch) const;

 private:
  const Model& model_;
  const LayerOrder& order_;
  const std::vector<int64_t> crossing_bytes_;  // by position
  const int64_t bucket_macs_;
};

// Grids that give each node about the same place on every map, so that only halos move between
// them: blocks of one plan draw theirs from one family.
//
//     bands       n0 n0       quarters    n0 n0 n1 n1
//                 n1 n1                   n2 n2 n3 n3
//                 n2 n2
//                 n3 n3
using GridFamily = std::vector<GridCut>;

// One to four tiles for each node, at most 64 where that leaves one for each. Several give a wire
// something to carry while a tile is computed and a thief something to take; on the smallest maps
// their halos would cost more.
std::vector<GridFamily> grid_families(size_t nodes);

}  // namespace shingle
