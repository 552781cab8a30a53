// What every executor checks before it runs a program.
#pragma once

#include "partition/base/result.hpp"
#include "partition/plan/program.hpp"

namespace shingle {

// Are the layer's weights in the model? A compiled model leaves out the weights that are packed:
// they have no data.
bool has_weights(const Model& model, const Layer& layer);

// The error for a layer whose weights a compiled model left out.
Error weights_missing(const Layer& layer);

// Refuses a program with an output that none of its steps computes.
Status check_program(const Model& model, const TileProgram& program);

// The same for executors that pack no weights ahead: the model must have all weights.
Status check_whole_program(const Model& model, const TileProgram& program);

}  // namespace shingle
