// Patterns of nodes that mean one operator, found before anything is translated; and which nodes
// count at all.
#pragma once

#include "partition/readers/onnx/file.hpp"

namespace shingle::onnx {

// Rewrites x*Sigmoid(x), x*Tanh(Softplus(x)) and x*HardSigmoid(x; 1/6, 1/2) to one node each, of
// the operators Silu, Mish and HardSwish. The nodes that computed the gate stay; they are dead if
// nobody else reads them.
void fuse_gates(Graph& graph);

// By node: does an output of the graph depend on it?
std::vector<bool> live_nodes(const Graph& graph);

}  // namespace shingle::onnx
