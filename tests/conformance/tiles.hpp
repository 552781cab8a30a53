// Runs a model on one executor, whole or tile by tile, without nodes and wires.
#pragma once

#include <vector>

#include "devices/executor/executor.hpp"

namespace shingle::conformance {

// All elements of a tensor's map in (y, x, c) order.
using Maps = std::vector<std::vector<float>>;

// The model's outputs. `inputs`: one map per model input.
Result<Maps> run_whole(Executor& executor, const Model& model, const Maps& inputs);

// As above, with the plan's algorithms: what the plan's tiles must give.
Result<Maps> run_whole(Executor& executor, const Model& model, const Plan& plan,
                       const Maps& inputs);

// As above, by a plan: block after block, and each tile reads its windows only.
Result<Maps> run_tiles(Executor& executor, const Model& model, const Plan& plan,
                       const Maps& inputs);

// A random plan. Even seeds cut each block by a random grid, odd seeds as the planner does.
Plan random_plan(const Model& model, uint64_t seed);

// True if some layer's output has more than one pixel, so that a plan can cut it.
bool is_spatial(const Model& model);

int64_t differing_bytes(const Maps& a, const Maps& b);

}  // namespace shingle::conformance
