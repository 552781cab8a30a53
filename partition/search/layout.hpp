// Layout: how the maps that a block puts out are dealt to the nodes, as shares of their area.
//
// Nodes stand in groups side by side (along x, or along the channels), a group's width as large as
// its nodes' shares together. Within a group they stand one above the other. On small maps a border
// between two nodes may run in a stair, so that shares are exact to the pixel; what is left over of
// a row is a small tile of its own. Each node's part is cut into tiles again.
//
//     groups 1, stairs       groups 2               groups 3 across channels
//     +-----------------+    +--------+--------+       /#####/ c: node 2
//     | 0  0  0  0  0  0|    | 0      | 3      |      /-----/
//     |     +-----------+    |        +--------+     /#####/ c: node 1
//     +-----+ 1  1  1  1|    +--------+ 4      |    /-----/
//     | 1  1  1  1  1   |    | 1      |        |   /#####/ c: node 0
//     +-----------------+    +--------+--------+
//
// Everything is a proportion of the map, so that outputs of different resolution are dealt alike.
#pragma once

#include <vector>

#include "partition/cluster/node_profile.hpp"
#include "partition/search/layer_order.hpp"

namespace shingle {

struct Layout {
  std::vector<double> shares;  // by node of the cluster; 0: no part
  int32_t groups = 1;
  bool across_channels = false;  // groups side by side along c instead of x
  bool stairs = false;
  bool loose = false;  // borders off the granule, where a share is worth more than the rounding
  int32_t rows = 1, columns = 1;  // tiles that each node's part is cut into, at most
  friend bool operator==(const Layout&, const Layout&) = default;
  friend auto operator<=>(const Layout&, const Layout&) = default;
};

struct DealtTile {
  size_t node = 0;
  std::vector<Region> regions;  // by map; empty where the tile has no part of it
};

// Disjoint tiles that cover each of `maps` exactly, node by node; none is empty on all maps.
// `kind`: row maps are dealt along x. `granules`: by map, on which borders lie. `joints`: by map,
// where rows and columns are joined of parts (joints.hpp); each part is dealt by itself. REQUIRES:
// a share above 0, a map; as many joints in each map.
std::vector<DealtTile> deal(const Layout& layout, const std::vector<Shape>& maps, MapKind kind,
                            const std::vector<Granule>& granules,
                            const std::vector<std::vector<int32_t>>& joints = {});

Layout on_one_node(size_t nodes, size_t node);

}  // namespace shingle
