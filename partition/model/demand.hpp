// What a layer must read to compute a region of its output. All geometry of layers is decided here.
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

// Region of input `input` (index into Layer::inputs) that the layer needs for `output`, clamped to
// the map. It may be empty (a window that lies wholly in padding, a Concat input outside the
// region). If the exact set is not a box, the result is its hull. REQUIRES: `output` is not empty
// and lies within the layer's output shape.
Region demand(const Model& model, const Layer& layer, size_t input, const Region& output);

// True if a bounded window of output needs only a bounded window of every input, along y and x.
// False for layers that need the whole map (global pooling, a rearrangement of channels into space
// across the map, softmax over y, a product of two maps, a map read at any places, a sort).
bool is_spatially_local(const Model& model, const Layer& layer);

// The same of the first input alone. It holds for a MatrixProduct, a GridSample and a Take too,
// which need the rows of the first operand that they compute and all of the second one.
bool goes_along_first_input(const Model& model, const Layer& layer);

}  // namespace shingle
