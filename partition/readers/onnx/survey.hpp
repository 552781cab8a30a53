// The operators of a graph that the reader does not know, all of them and not the first alone.
#pragma once

#include <vector>

#include "partition/readers/onnx/file.hpp"

namespace shingle::onnx {

// Of the nodes that the outputs depend on, in the graph's order. What lies in a branch of an If
// counts once the branch is taken.
std::vector<OnnxUnread> unread_operators(const Graph& graph);

// Refuses a graph that has such operators, in one sentence.
void check_operators(const Graph& graph);

}  // namespace shingle::onnx
