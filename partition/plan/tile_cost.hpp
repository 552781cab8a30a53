// The cost of a tile's pass, computed from its program.
#pragma once

#include "partition/plan/program.hpp"

namespace shingle {

// Bytes of the buffers that the steps write, at their maximum. Each buffer exists from its step to
// the last step that reads it (a tile's outputs: to the end).
int64_t peak_bytes(const Model& model, const TileProgram& program);

// A tile of `block` with windows and costs filled in; the caller sets id and home.
Tile make_tile(const Model& model, const FusedBlock& block, std::vector<Slice> outputs);

}  // namespace shingle
