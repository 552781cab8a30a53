// Multi-scale deformable attention, as Deformable DETR and its heirs export it: each head of a
// query reads four places of each map near its box, and weighs them.
#pragma once

#include "tests/networks/exported/layers.hpp"

namespace shingle::networks {

// Maps as rows of pixels, one map behind the other.
struct Sampled {
  Value rows;               // [1, pixels of all maps, features]
  std::vector<Dims> sizes;  // height and width, by map
  int64_t heads = 1;
};

// queries: [1, n, features]; boxes: [1, n, 4], centre and size as shares of the picture. With the
// projections of values and result.
Value deformable_attention(Exporter& to, const Value& queries, const Value& boxes,
                           const Sampled& maps);

}  // namespace shingle::networks
