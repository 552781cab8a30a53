// Connection: what the tiles that make one tensor must bring to the tiles that read it.
//
//   makers 0..n  --strips-->  readers 0..m        of other homes
//                --canvas-->  readers             of the same home
//
// Makers and readers are counted in plan order. All geometry of a plan's routes is here.
#pragma once

#include "partition/plan/routes.hpp"

namespace shingle {

// A tile's box of a tensor: something that it puts out, or a window.
struct Holding {
  NodeId home;
  Region region;
};

struct Connection {
  struct Strip {
    uint32_t maker = 0;                 // of the frame's: the reader for which it is brought
    std::optional<NodeId> destination;  // none: the frame's owner
    Region region;
    std::vector<uint32_t> readers;  // at its destination, ascending; empty for the owner
  };
  struct Local {
    uint32_t maker = 0, reader = 0;
    friend auto operator<=>(const Local&, const Local&) = default;
  };
  std::vector<Strip> strips;  // by maker, then by destination, the owner last
  std::vector<Local> local;   // ascending
};

// Boxes of one maker are disjoint from the others'. `to_owner`: the tensor is an output of the
// model. `element_bytes`: on the wire.
Connection connection(const std::vector<Holding>& makers, const std::vector<Holding>& readers,
                      int64_t element_bytes, bool to_owner);

// Of a tensor that no tile makes. Each reader is brought what the earlier ones of its home have not
// been, in reader order.
std::vector<Connection::Strip> frame_strips(const std::vector<Holding>& readers,
                                            int64_t element_bytes);

}  // namespace shingle
