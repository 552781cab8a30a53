#include "partition/readers/onnx/branches.hpp"

#include <algorithm>

#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/refusal.hpp"

namespace shingle::onnx {

namespace {

constexpr int deepest_branch = 64;

bool is_if(const NodeProto& node) {
  return node.op == "If" && is_of_onnx(node) && !node.inputs.empty();
}

std::shared_ptr<const Graph> branch_of(const NodeProto& node, bool condition) {
  const std::string_view name = condition ? "then_branch" : "else_branch";
  for (const Attribute& attribute : node.attributes)
    if (attribute.name == name && attribute.graph) return attribute.graph;
  return nullptr;
}

const NodeProto* maker_of(const Graph& graph, std::string_view name) {
  for (const NodeProto& node : graph.nodes)
    for (const std::string_view output : node.outputs)
      if (output == name) return &node;
  return nullptr;
}

bool has_zero(const std::vector<int64_t>& numbers) {
  return std::ranges::find(numbers, 0) != numbers.end();
}

const Attribute* attribute_of(const NodeProto* node, std::string_view name) {
  if (node == nullptr) return nullptr;
  for (const Attribute& attribute : node->attributes)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

// A constant list of sizes that has a 0: as a list, or one integer as its bytes.
bool is_empty_shape(const NodeProto* node) {
  if (const Attribute* list = attribute_of(node, "value_ints")) return has_zero(list->ints);
  const Attribute* value = attribute_of(node, "value");
  if (value == nullptr || !value->tensor) return false;
  const std::optional<std::string_view> raw = value->tensor->raw;
  if (!raw) return has_zero(value->tensor->integers);
  return raw->size() == sizeof(int64_t) && raw->find_first_not_of('\0') == std::string_view::npos;
}

// Is the value a tensor without elements, as the exporter of torch.empty(0) writes it?
bool is_nothing(const Graph& graph, std::string_view name) {
  const NodeProto* node = maker_of(graph, name);
  if (node != nullptr && node->op == "Cast" && !node->inputs.empty())
    node = maker_of(graph, node->inputs[0]);
  if (node == nullptr) return false;
  if (node->op == "ConstantOfShape" && !node->inputs.empty())
    return is_empty_shape(maker_of(graph, node->inputs[0]));
  const Attribute* value = attribute_of(node, "value");
  return node->op == "Constant" && value != nullptr && value->tensor &&
         has_zero(value->tensor->dims);
}

bool makes_nothing(const Graph& graph) {
  return std::ranges::all_of(
      graph.outputs, [&](const ValueInfo& output) { return is_nothing(graph, output.name); });
}

class Walk {
 public:
  Walk(const Graph& graph, Inlining& inlining, const Circumstances& with)
      : inlining_(inlining), probe_(graph, with) {
    probe_.probe_inputs();
  }

  // Every node in order, those of branches that are taken too.
  void pass(Inlining::Nodes nodes, int depth, Inlining::Nodes& to) {
    for (NodeProto& node : nodes) {
      if (const auto branch = taken(node)) {
        if (depth == deepest_branch)
          refuse("the ONNX file has branches within branches more than " +
                 std::to_string(deepest_branch) + " deep");
        Inlining::Nodes inside;
        inlining_.add_branch(node, branch, inside);
        pass(std::move(inside), depth + 1, to);
      } else {
        probe_.probe(node, to.size());
        to.push_back(std::move(node));
      }
    }
  }

 private:
  // Null: none, or it is not known which.
  std::shared_ptr<const Graph> taken(const NodeProto& node) {
    if (!is_if(node)) return nullptr;
    // Without elements the other branch gives a tensor without elements, too.
    if (const auto none = branch_of(node, true);
        none != nullptr && probe_.says_none(node.inputs[0]) && makes_nothing(*none))
      return branch_of(node, false);
    const Constant* condition = probe_.known(node.inputs[0]);
    if (condition == nullptr || condition->count() != 1) return nullptr;
    return branch_of(node, condition->at(0) != 0.0);
  }

  Inlining& inlining_;
  Translator probe_;
};

}  // namespace

void branch(Node& node) {
  node.refuse(
      "its condition is not known before a frame is there, and shingle computes the same layers "
      "for every frame; export the network with fixed sizes, or without the branch");
}

void take_branches(Graph& graph, Inlining& inlining, const Circumstances& with) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), is_if)) return;
  Inlining::Nodes before = std::move(graph.nodes), after;
  graph.nodes.clear();
  Walk(graph, inlining, with).pass(std::move(before), 0, after);
  graph.nodes = std::move(after);
}

}  // namespace shingle::onnx
