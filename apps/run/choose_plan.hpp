// Reads which plan the user asked for on the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partition/search/planner.hpp"

namespace shingle {

struct PlanWish {
  std::string grid;  // "RxC"; empty: two tiles for each node where layers are named
  std::vector<std::string> cut_after;  // names of layers
};

// None when nothing is wished: the planner chooses. An error for a grid that is none or a layer
// that is not there.
Result<std::optional<PlanOptions>> read_wish(const Model& model, const Cluster& cluster,
                                             const PlanWish& wish);

Cluster equal_nodes(uint32_t count);  // ids from 0

// Share of the plan's MACs that lie in blocks of four or more tiles.
double tiled_share(const Plan& plan);

}  // namespace shingle
