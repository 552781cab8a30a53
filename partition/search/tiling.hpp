// Tiling: a grid laid over the maps that a block puts out, and the nodes that get its tiles.
#pragma once

#include "partition/search/planner.hpp"

namespace shingle {

// The grid that fits: no tile of any of `shapes` is empty. A map of height 1 (or width 1) is cut
// into as many columns (rows) as the grid has tiles.
GridCut fitting(GridCut grid, const std::vector<Shape>& shapes, Granule granule = {});

// The part of tile (row, column) of a fitting grid, in proportion to the map and rounded to the
// granule: rows [h*row/rows, h*(row+1)/rows) where the granule is 1.
Region tile_region(Shape shape, GridCut grid, int32_t row, int32_t column, Granule granule = {});

// Where borders of the block's tiles waste nothing on Winograd's grid: as many rows and columns of
// `map`, a map that the block puts out, as are four of the Winograd layer's before it. 1 along an
// axis that `grid` would then cut too unevenly (fewer than two such units a tile).
Granule winograd_granule(const Model& model, const FusedBlock& block, Shape map, GridCut grid);

// Tiles 0 .. tiles-1 to nodes in contiguous runs, as long as the nodes are fast. By tile: index
// into Cluster::nodes. REQUIRES: a node.
std::vector<size_t> runs(const Cluster& cluster, int32_t tiles);

// gflops as a divisor: a node that claims none, or no number, counts as very slow.
double speed(const ClusterNode& node);

}  // namespace shingle
