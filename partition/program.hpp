// TileProgram: the steps of one tile's pass, derived from plan and model. Executors follow it;
// costs are read off it.
//
// Walking the block's layers backwards from the tile's outputs, each tensor's demand is the hull of
// what its readers in the block need and what the tile puts out. Layers that nothing demands are
// left out.
#pragma once

#include <vector>

#include "partition/plan.hpp"

namespace shingle {

struct Step {
  LayerId layer;
  Region output;  // computed by this step (the demand on the layer's output tensor)
  std::vector<Region>
      inputs;  // read, one per Layer::inputs; empty where the operand does not count
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
TileProgram whole_program(const Model& model);
FusedBlock whole_block(const Model& model);

int64_t macs(const Model& model, const TileProgram& program);

}  // namespace shingle
