// The activation functions of recurrent nodes.
#pragma once

#include <array>

#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

using RecurrentFunctions = std::array<Activation, 3>;  // ONNX's f, g, h

// By direction: the functions that the node's attributes name, or ONNX's. Refuses functions that
// shingle does not have.
std::vector<RecurrentFunctions> recurrent_functions(const Node& node, Recurrence::Kind kind,
                                                    size_t directions);

}  // namespace shingle::onnx
