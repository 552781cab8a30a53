// Finds patterns of nodes that form one operator, before anything is translated; and the nodes that
// outputs depend on.
#pragma once

#include "partition/readers/onnx/file.hpp"

namespace shingle::onnx {

// Rewrites x*Sigmoid(x), x*Tanh(Softplus(x)) and x*HardSigmoid(x; 1/6, 1/2) to one node each: Silu,
// Mish and HardSwish. The nodes that computed the gate stay; they are dead if no other node reads
// them.
void fuse_gates(Graph& graph);

// By node: true if an output of the graph depends on it.
std::vector<bool> live_nodes(const Graph& graph);

}  // namespace shingle::onnx
