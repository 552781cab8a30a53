// What every executor asks of a program before it runs it.
#pragma once

#include "partition/base/result.hpp"
#include "partition/plan/program.hpp"

namespace shingle {

// Are the layer's weights in the model? A compiled one leaves those out that are packed: they have
// no data.
bool has_weights(const Model& model, const Layer& layer);

// The sentence for a layer whose weights a compiled model left out.
Error weights_missing(const Layer& layer);

// Refuses a program that puts out what none of its steps computes.
Status check_program(const Model& model, const TileProgram& program);

// The same for who packs no weights ahead: all must be in the model.
Status check_whole_program(const Model& model, const TileProgram& program);

}  // namespace shingle
