// Tiling: a grid over the output maps of a block, and the assignment of its tiles to nodes.
#pragma once

#include "partition/search/planner.hpp"

namespace shingle {

// The largest part of the grid for which no tile of any of `shapes` is empty. A map of height 1 (or
// width 1) is cut into as many columns (rows) as the grid has tiles.
GridCut fitting(GridCut grid, const std::vector<Shape>& shapes, Granule granule = {});

// The part of tile (row, column) of a grid returned by fitting(), in proportion to the map and
// rounded to the granule: rows [h*row/rows, h*(row+1)/rows) if the granule is 1.
Region tile_region(Shape shape, GridCut grid, int32_t row, int32_t column, Granule granule = {});

// The granule for which tile borders waste no work on Winograd's grid: as many rows and columns of
// `map`, an output of the block, as correspond to four of the Winograd layer before it. 1 along an
// axis that `grid` would then cut too unevenly (fewer than two such units per tile).
Granule winograd_granule(const Model& model, const FusedBlock& block, Shape map, GridCut grid);

// Assigns tiles 0 .. tiles-1 to nodes in contiguous runs, in proportion to their speeds. By tile:
// index into Cluster::nodes. REQUIRES: at least one node.
std::vector<size_t> runs(const Cluster& cluster, int32_t tiles);

// gflops as a divisor; zero, negative numbers and NaN count as very slow.
double speed(const ClusterNode& node);

}  // namespace shingle
