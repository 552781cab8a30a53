// Connection: what the tiles that make one tensor must deliver to the tiles that read it.
//
//   makers 0..n  --strips-->  readers 0..m        on other homes
//                --canvas-->  readers             on the same home
//
// Makers and readers are numbered in plan order. All geometry of a plan's routes is here.
#pragma once

#include "partition/plan/routes.hpp"

namespace shingle {

// A tile's box of a tensor: an output of the tile, or a window that it reads.
struct TileBox {
  NodeId home;
  Region region;
};

struct Connection {
  struct Strip {
    uint32_t maker = 0;                 // for strips of the frame: the reader that the strip is for
    std::optional<NodeId> destination;  // none: the frame's owner
    Region region;
    std::vector<uint32_t> readers;  // at the destination, ascending; empty for the owner
  };
  struct Local {
    uint32_t maker = 0, reader = 0;
    friend auto operator<=>(const Local&, const Local&) = default;
  };
  std::vector<Strip> strips;  // by maker, then by destination, the owner last
  std::vector<Local> local;   // ascending
};

// The boxes of different makers must be disjoint. `to_owner`: the tensor is an output of the model.
// `element_bytes`: on the wire.
Connection connection(const std::vector<TileBox>& makers, const std::vector<TileBox>& readers,
                      int64_t element_bytes, bool to_owner);

// The same for a tensor that no tile makes. Each reader gets what the readers before it on its home
// did not get, in reader order.
std::vector<Connection::Strip> frame_strips(const std::vector<TileBox>& readers,
                                            int64_t element_bytes);

}  // namespace shingle
