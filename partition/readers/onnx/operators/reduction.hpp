// Taking whole dims of a value together.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// The box with the marked dims as its whole channel axis: as the map that most operators want where
// that will do.
Box with_channels(Node& node, const Box& box, const std::vector<bool>& marked);

// The marked dims reduced to size 1. REQUIRES: `kind` is not arg_max.
Box reduced(Node& node, Reduction::Kind kind, const Box& box, const std::vector<bool>& marked);

// The marked dims, of size 1, left out.
Box without(Box box, const std::vector<bool>& marked);

Box squared(Node& node, const Box& box);

}  // namespace shingle::onnx
