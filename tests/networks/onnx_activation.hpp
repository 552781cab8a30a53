// A layer's activation as the nodes of opset 13.
#pragma once

#include <string>

#include "partition/model/operator.hpp"
#include "tests/networks/onnx_graph.hpp"

namespace shingle::networks {

// Adds the nodes that compute the activation of the value `x`, and returns their result's name.
std::string activated(OnnxGraph& graph, const std::string& x, const Activation& activation);

}  // namespace shingle::networks
