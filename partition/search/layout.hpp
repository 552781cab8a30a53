// Layout: how the output maps of a block are dealt to the nodes, as shares of their area.
//
// Nodes form groups side by side (along x, or along the channels). A group's width is the sum of
// its nodes' shares. Within a group, nodes are one above the other. On small maps, the border
// between two nodes may be a stair, so that shares are exact to the pixel; the rest of a row is
// then a small tile of its own. Each node's part is cut into tiles.
//
//     groups 1, stairs       groups 2               groups 3 across channels
//     +-----------------+    +--------+--------+       /#####/ c: node 2
//     | 0  0  0  0  0  0|    | 0      | 3      |      /-----/
//     |     +-----------+    |        +--------+     /#####/ c: node 1
//     +-----+ 1  1  1  1|    +--------+ 4      |    /-----/
//     | 1  1  1  1  1   |    | 1      |        |   /#####/ c: node 0
//     +-----------------+    +--------+--------+
//
// Everything is a proportion of the map, so that outputs of different resolution are dealt in the
// same way.
#pragma once

#include <vector>

#include "partition/cluster/node_profile.hpp"
#include "partition/search/layer_order.hpp"

namespace shingle {

struct Layout {
  std::vector<double> shares;  // by node of the cluster; 0: the node has no part
  int32_t groups = 1;
  bool across_channels = false;  // groups side by side along c instead of x
  bool stairs = false;
  bool loose = false;  // borders need not lie on the granule, where an exact share is worth more
                       // than the rounding
  int32_t rows = 1, columns = 1;  // maximum number of tiles that each node's part is cut into
  friend bool operator==(const Layout&, const Layout&) = default;
  friend auto operator<=>(const Layout&, const Layout&) = default;
};

struct DealtTile {
  size_t node = 0;
  std::vector<Region> regions;  // by map; empty if the tile has no part of it
};

// Disjoint tiles that cover each of `maps` exactly, node by node; no tile is empty on all maps.
// `kind`: row maps are dealt along x. `granules`: by map; borders lie on it. `joints`: by map
// (joints.hpp); each part between joints is dealt by itself. REQUIRES: a share above 0; at least
// one map; the same number of joints in each map.
std::vector<DealtTile> deal(const Layout& layout, const std::vector<Shape>& maps, MapKind kind,
                            const std::vector<Granule>& granules,
                            const std::vector<std::vector<int32_t>>& joints = {});

Layout on_one_node(size_t nodes, size_t node);

}  // namespace shingle
