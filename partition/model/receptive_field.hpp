// The receptive field of a layer, found by walking every output index of an axis and every tap of
// it: slow on purpose and written apart from demand(), which it is there to check.
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

// The smallest box of input `input` that holds every element that `output` reads; empty if it reads
// none. REQUIRES: a sound model, `output` not empty and within the layer's output shape.
Region receptive_field(const Model& model, const Layer& layer, size_t input, const Region& output);

}  // namespace shingle
