// A model run whole and run tile by tile on one executor, without node or wire.
#pragma once

#include <vector>

#include "devices/executor/executor.hpp"

namespace shingle::conformance {

// The elements of a tensor's whole map in (y, x, c) order.
using Maps = std::vector<std::vector<float>>;

// The model's outputs. `inputs`: one map per model input.
Result<Maps> run_whole(Executor& executor, const Model& model, const Maps& inputs);

// The same by the plan: block after block, each tile fed with exactly its windows.
Result<Maps> run_tiles(Executor& executor, const Model& model, const Plan& plan,
                       const Maps& inputs);

// A random cut into blocks, of even seeds into random grids, of odd ones as the planner deals them.
Plan random_plan(const Model& model, uint64_t seed);

// Is there anything to cut: a layer whose output has more than one pixel?
bool is_spatial(const Model& model);

int64_t differing_bytes(const Maps& a, const Maps& b);

}  // namespace shingle::conformance
