// Reads a value with other dims.
#pragma once

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// REQUIRES: as many elements. Adds a Rearrange only if the box lies so that a cut between two new
// dims falls inside a factor.
Box reshaped_box(Node& node, const Box& box, const Dims& dims);

}  // namespace shingle::onnx
