// Gates: activations that are x times a function of x, written out as several nodes.
#pragma once

#include <optional>

#include "partition/readers/onnx/patterns/expressions.hpp"

namespace shingle::onnx {

// An activation of one value as a node of one operator.
struct Gated {
  std::string_view op, x;
  std::vector<Attribute> attributes{};
};

// What `node`, a Mul or a Div, is if it is such an activation.
std::optional<Gated> gated(const Expressions& graph, const NodeProto& node);

}  // namespace shingle::onnx
