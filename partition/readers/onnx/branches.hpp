// Branches: an If whose condition is known when the file is read becomes the branch that it takes.
// Exporters write such an If where a shape decides, as for a squeeze of a dimension that may be 1.
#pragma once

#include "partition/readers/onnx/inlining.hpp"
#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

// Conditions are computed as the reader computes constants, so they may follow from the inputs'
// sizes. An If whose condition stays unknown stays in the graph.
void take_branches(Graph& graph, Inlining& inlining, const Circumstances& with);

}  // namespace shingle::onnx
