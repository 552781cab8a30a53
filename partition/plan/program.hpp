// TileProgram: the steps of one tile's pass, derived from plan and model. Executors follow it;
// costs are read off it.
//
// Walking the block's layers backwards from the tile's outputs, each tensor's demand is the hull of
// what its readers in the block need and what the tile puts out. Layers that nothing demands are
// left out.
#pragma once

#include <vector>

#include "partition/plan/plan.hpp"

namespace shingle {

struct Step {
  LayerId layer;
  Algorithm algorithm = Algorithm::direct;
  Region output;               // wanted of this step (the demand on the layer's output tensor)
  std::vector<Region> inputs;  // read, one per Layer::inputs; empty where the operand does not
                               // count. What the algorithm's rounding out asks for is in them
  friend bool operator==(const Step&, const Step&) = default;
};

struct TileProgram {
  std::vector<Slice> inputs;  // the tile's windows
  std::vector<Step> steps;    // in layer order
  std::vector<Slice> outputs;
};

TileProgram tile_program(const Model& model, const FusedBlock& block,
                         const std::vector<Slice>& outputs);

// The whole network as one tile of one block: what a single machine runs.
TileProgram whole_program(const Model& model, WinogradUse use = WinogradUse::where_faster);
FusedBlock whole_block(const Model& model, WinogradUse use = WinogradUse::where_faster);

// The same by the plan's algorithms: what the plan's tiles must equal bit by bit.
TileProgram whole_program(const Model& model, const Plan& plan);

// Multiply-adds of what the steps compute, rounding out included; a Winograd step counts what it
// would have taken directly.
int64_t macs(const Model& model, const TileProgram& program);

}  // namespace shingle
