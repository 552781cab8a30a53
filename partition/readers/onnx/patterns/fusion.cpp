#include "partition/readers/onnx/patterns/fusion.hpp"

#include <map>

#include "partition/readers/onnx/patterns/gates.hpp"
#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

namespace {

void become(NodeProto& node, std::string_view op, std::vector<std::string_view> inputs,
            std::vector<Attribute> attributes = {}) {
  node.op = op;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
}

// r, if the value is Reciprocal(r) or 1/r.
std::optional<std::string_view> inverse_of(const Expressions& graph, std::string_view name) {
  if (const NodeProto* node = graph.producer(name, "Reciprocal")) return node->inputs[0];
  const NodeProto* node = graph.producer(name, "Div");
  if (node == nullptr || node->inputs.size() != 2) return std::nullopt;
  const std::optional<Scalar> one = graph.scalar(node->inputs[0]);
  return one && one->value == 1.0 ? std::optional(node->inputs[1]) : std::nullopt;
}

void take_quotient(const Expressions& graph, NodeProto& node) {
  for (const size_t i : {0U, 1U}) {
    const auto divisor = inverse_of(graph, node.inputs[1 - i]);
    if (!divisor) continue;
    const std::string_view dividend = node.inputs[i];
    return become(node, "Div", {dividend, *divisor});
  }
}

// Nodes in the place of one, by its index. Its neighbours keep their indices until the end.
using Replacements = std::map<size_t, std::vector<NodeProto>>;

// (a * b) * scale, a product of two values: (a * scale) * b takes the place of the later node, so
// that what makes the scale comes before it.
void scale_first_operand(const Expressions& graph, size_t index, const NodeProto& node,
                         Replacements& replacements) {
  for (const size_t i : {0U, 1U}) {
    const NodeProto* product = graph.producer(node.inputs[i], "MatMul");
    const bool scales = node.op == "Mul" || i == 0;  // or divides
    if (product == nullptr || !scales || product->inputs.size() != 2) continue;
    if (graph.uses(node.inputs[i]) != 1 || !graph.scalar(node.inputs[1 - i])) continue;
    const bool two_values =
        graph.depends_on_input(product->inputs[0]) && graph.depends_on_input(product->inputs[1]);
    if (!two_values) continue;
    NodeProto first = node, second = *product;
    first.inputs = {product->inputs[0], node.inputs[1 - i]};
    first.outputs = {node.inputs[i]};
    second.inputs = {node.inputs[i], product->inputs[1]};
    second.outputs = node.outputs;
    const size_t at = graph.index_of(*product);
    replacements[at] = {};
    replacements[index] = {std::move(first), std::move(second)};
    return;
  }
}

void replace(Graph& graph, Replacements replacements) {
  std::vector<NodeProto> nodes;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto found = replacements.find(i);
    if (found == replacements.end()) {
      nodes.push_back(std::move(graph.nodes[i]));
    } else {
      for (NodeProto& node : found->second) nodes.push_back(std::move(node));
    }
  }
  graph.nodes = std::move(nodes);
}

}  // namespace

void fuse_patterns(Graph& graph) {
  const Expressions expressions(graph);
  Replacements replacements;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    NodeProto& node = graph.nodes[i];
    const bool divides = node.op == "Div";
    if ((node.op != "Mul" && !divides) || !is_of_onnx(node) || node.inputs.size() != 2) continue;
    if (auto found = gated(expressions, node)) {
      become(node, found->op, {found->x}, std::move(found->attributes));
      continue;
    }
    if (!divides) take_quotient(expressions, node);
    scale_first_operand(expressions, i, node, replacements);
  }
  if (!replacements.empty()) replace(graph, std::move(replacements));
}

std::vector<bool> live_nodes(const Graph& graph) {
  std::unordered_map<std::string_view, size_t> producers;
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    for (const std::string_view output : graph.nodes[node].outputs)
      if (!output.empty()) producers.try_emplace(output, node);
  }
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
