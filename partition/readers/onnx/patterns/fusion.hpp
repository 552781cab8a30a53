// Finds patterns of nodes that form one operator, before anything is translated; and the nodes that
// outputs depend on.
#pragma once

#include "partition/readers/onnx/file.hpp"

namespace shingle::onnx {

// Rewrites what exporters write out, whatever the order of factors and terms; constants may have
// their type's rounding.
//   activations   Gelu (by erf and by tanh), Silu, Swish, Mish and HardSwish become one node each:
//                 x*0.5*(1 + Erf(x/sqrt(2))), x*Sigmoid(a*x), x/(1 + Exp(-x)),
//                 x*Tanh(Softplus(x)), x*Clip(x + 3, 0, 6)/6, x*HardSigmoid(x; 1/6, 1/2), ...
//   quotients     x*Reciprocal(r) and x*(1/r) become x/r
//   attentions    a scale of a product of two values becomes one of its first operand, which is
//                 smaller, and whose own layer may take it
// The nodes that computed a part stay; they are dead if no other node reads them.
void fuse_patterns(Graph& graph);

// By node: true if an output of the graph depends on it.
std::vector<bool> live_nodes(const Graph& graph);

}  // namespace shingle::onnx
