// Branches: an If whose condition is known when the file is read becomes the branch that it takes.
// Exporters write such an If where a shape decides, as for a squeeze of a dimension that may be 1.
// Of one that asks the frame both branches are computed, and one of their values is chosen.
#pragma once

#include "partition/readers/onnx/inlining.hpp"
#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// Conditions are computed as the reader computes constants, so they may follow from the inputs'
// sizes.
void take_branches(Graph& graph, Inlining& inlining, const Circumstances& with);

}  // namespace shingle::onnx
