// What the planner chooses from: where blocks may end, and which layouts may share a network.
#pragma once

#include "partition/search/layer_order.hpp"
#include "partition/search/layout.hpp"

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

  // Bytes of all tensors that are made before `position` and read from there on.
  int64_t crossing(size_t position) const { return crossing_bytes_[position - 1]; }

 private:
  const Model& model_;
  const LayerOrder& order_;
  const std::vector<int64_t> crossing_bytes_;  // by position
  const int64_t bucket_macs_;
};

// Layouts (without shares) that give each node about the same place on every map, so that only
// halos move between them: the first drafts of a plan use one each for all of its blocks.
//
//     bands       n0 n0       quarters    n0 n0 n1 n1
//                 n1 n1                   n2 n2 n3 n3
//                 n2 n2
//                 n3 n3
std::vector<Layout> layout_families(size_t nodes);

}  // namespace shingle
