// The planner's options: where blocks may end, and which layouts it tries for a network.
#pragma once

#include "partition/search/layer_order.hpp"
#include "partition/search/layout.hpp"

namespace shingle {

// Where blocks may end. The layers are divided into parts of about equal MACs, 48 for the whole
// model. In each part, the position that the fewest bytes cross is chosen. A layer that turns the
// map (rows into channels, say) has borders of its own, up to a number.
class Borders {
 public:
  // Both must outlive this object.
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
// halos move between nodes. The first drafts of a plan use one of them for all of their blocks.
//
//     bands       n0 n0       quarters    n0 n0 n1 n1
//                 n1 n1                   n2 n2 n3 n3
//                 n2 n2
//                 n3 n3
std::vector<Layout> layout_families(size_t nodes);

}  // namespace shingle
