#include "partition/readers/onnx/fusion.hpp"

#include <cmath>
#include <unordered_map>

namespace shingle::onnx {

namespace {

using Producers = std::unordered_map<std::string_view, size_t>;  // output name to node

Producers producers_of(const Graph& graph) {
  Producers producers;
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    for (const std::string_view output : graph.nodes[node].outputs) {
      if (!output.empty()) producers.try_emplace(output, node);
    }
  }
  return producers;
}

bool is_unary(const NodeProto* node, std::string_view op) {
  return node != nullptr && node->op == op && node->domain.empty() && node->inputs.size() == 1;
}

float number(const NodeProto& node, std::string_view name, float otherwise) {
  for (const Attribute& attribute : node.attributes) {
    if (attribute.name == name) return attribute.f;
  }
  return otherwise;
}

bool gates_hard_swish(const NodeProto& node) {
  return std::abs(number(node, "alpha", 0.2F) - 1.0F / 6.0F) < 1e-6F &&
         number(node, "beta", 0.5F) == 0.5F;
}

struct Patterns {
  const Graph& graph;
  Producers producers;

  const NodeProto* producer(std::string_view name) const {
    const auto found = producers.find(name);
    return found == producers.end() ? nullptr : &graph.nodes[found->second];
  }

  // The operator that x * gate is, if `gate` is computed from x in a known way.
  std::string_view gated(std::string_view x, std::string_view gate) const {
    const NodeProto* node = producer(gate);
    if (is_unary(node, "Sigmoid") && node->inputs[0] == x) return "Silu";
    if (is_unary(node, "HardSigmoid") && node->inputs[0] == x && gates_hard_swish(*node)) {
      return "HardSwish";
    }
    if (is_unary(node, "Tanh")) {
      const NodeProto* inner = producer(node->inputs[0]);
      if (is_unary(inner, "Softplus") && inner->inputs[0] == x) return "Mish";
    }
    return {};
  }
};

}  // namespace

void fuse_gates(Graph& graph) {
  const Patterns patterns{graph, producers_of(graph)};
  for (NodeProto& node : graph.nodes) {
    if (node.op != "Mul" || !node.domain.empty() || node.inputs.size() != 2) continue;
    for (const size_t x : {0U, 1U}) {
      const std::string_view op = patterns.gated(node.inputs[x], node.inputs[1 - x]);
      if (op.empty()) continue;
      node.op = op;
      node.inputs = {std::string_view(node.inputs[x])};
      break;
    }
  }
}

std::vector<bool> live_nodes(const Graph& graph) {
  const Producers producers = producers_of(graph);
  std::vector<bool> live(graph.nodes.size(), false);
  std::vector<std::string_view> wanted;
  for (const ValueInfo& output : graph.outputs) wanted.push_back(output.name);
  while (!wanted.empty()) {
    const auto found = producers.find(wanted.back());
    wanted.pop_back();
    if (found == producers.end() || live[found->second]) continue;
    live[found->second] = true;
    const std::vector<std::string_view>& inputs = graph.nodes[found->second].inputs;
    wanted.insert(wanted.end(), inputs.begin(), inputs.end());
  }
  return live;
}

}  // namespace shingle::onnx
