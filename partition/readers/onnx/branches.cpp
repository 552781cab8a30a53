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
