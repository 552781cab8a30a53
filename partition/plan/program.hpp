// TileProgram: the steps of one tile's pass, derived from plan and model. Executors execute it, and
// costs are computed from it.
//
// The block's layers are visited backwards from the tile's outputs. The demand on each tensor is
// the hull of what its readers in the block need and what the tile outputs. Layers without demand
// are left out.
#pragma once

#include <vector>

#include "partition/plan/plan.hpp"

namespace shingle {

struct Step {
  LayerId layer;
  Algorithm algorithm = Algorithm::direct;
  Region output;               // needed from this step (the demand on the layer's output tensor)
  std::vector<Region> inputs;  // read, one per Layer::inputs; empty if the operand
                               // is not needed. Includes what the algorithm's rounding to its grid
                               // needs
  friend bool operator==(const Step&, const Step&) = default;
};

struct TileProgram {
  std::vector<Slice> inputs;  // the tile's windows
  std::vector<Step> steps;    // in layer order
  std::vector<Slice> outputs;
};

TileProgram tile_program(const Model& model, const FusedBlock& block,
                         const std::vector<Slice>& outputs);

// The whole network as one tile of one block, as a single machine computes it.
TileProgram whole_program(const Model& model, WinogradUse use = WinogradUse::where_faster);
FusedBlock whole_block(const Model& model, WinogradUse use = WinogradUse::where_faster);

// The same with the plan's algorithms; the plan's tiles must equal its results bit by bit.
TileProgram whole_program(const Model& model, const Plan& plan);

// Multiply-adds that the steps compute, rounding to grids included. A Winograd step counts the
// multiply-adds of the direct formula.
int64_t macs(const Model& model, const TileProgram& program);

}  // namespace shingle
