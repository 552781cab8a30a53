// The receptive field of a layer, found by visiting every output index of an axis and every tap. It
// is slow and independent of demand() on purpose, because it exists to check demand().
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

// The smallest box of input `input` that holds every element that `output` reads; empty if it reads
// none. REQUIRES: a sound model; `output` is not empty and within the layer's output shape.
Region receptive_field(const Model& model, const Layer& layer, size_t input, const Region& output);

}  // namespace shingle
