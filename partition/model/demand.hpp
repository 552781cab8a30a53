// What a layer must read to compute a region of its output: the one place where geometry is
// decided.
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

// Region of input `input` (index into Layer::inputs) that `output` of the layer needs; clamped to
// the map; may be empty (a window wholly in padding, a Concat operand outside the region). A hull
// where the exact set is not a box. REQUIRES: `output` is not empty and within the layer's output
// shape.
Region demand(const Model& model, const Layer& layer, size_t input, const Region& output);

// Does a bounded window of every input suffice for a bounded window of output, along y and x? False
// for what truly needs the whole map (global pooling, a rearrangement of channels into space across
// the map, softmax over y).
bool is_spatially_local(const Model& model, const Layer& layer);

}  // namespace shingle
