// Reads which plan the user asked for on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partition/search/planner.hpp"

namespace shingle {

struct GridOptions {
  std::string grid;  // "RxC"; empty: two tiles for each node where layers are named
  std::vector<std::string> cut_after;  // names of layers
};

// None if no option is set: the planner chooses. The error names a bad grid or an unknown layer.
Result<std::optional<PlanOptions>> read_grid_options(const Model& model, const Cluster& cluster,
                                                     const GridOptions& options);

Cluster equal_nodes(uint32_t count);  // ids from 0

// Share of the plan's MACs that lie in blocks of four or more tiles.
double tiled_share(const Plan& plan);

}  // namespace shingle
