#include "partition/readers/onnx/branches.hpp"

#include <algorithm>

#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"
#include "partition/readers/onnx/operators/values/logic.hpp"
#include "partition/readers/onnx/refusal.hpp"

namespace shingle::onnx {

namespace {

constexpr int deepest_branch = 64;

// That is not a choice between values yet.
bool is_if(const NodeProto& node) {
  return node.op == "If" && is_of_onnx(node) && node.inputs.size() == 1;
}

std::shared_ptr<const Graph> branch_of(const NodeProto& node, bool condition) {
  const Attribute* found =
      attribute_named(node.attributes, condition ? "then_branch" : "else_branch");
  return found == nullptr ? nullptr : found->graph;
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
  return node == nullptr ? nullptr : attribute_named(node->attributes, name);
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
      Inlining::Nodes inside;
      if (!is_if(node) || !add_inside(node, inside)) {
        probe_.probe(node, to.size());
        to.push_back(std::move(node));
        continue;
      }
      if (depth == deepest_branch)
        refuse("the ONNX file has branches within branches more than " +
               std::to_string(deepest_branch) + " deep");
      pass(std::move(inside), depth + 1, to);
    }
  }

 private:
  // The branch that an If takes, or both if the frame decides. False: a branch is missing.
  bool add_inside(const NodeProto& node, Inlining::Nodes& inside) {
    const Inlining::Branches branches{.yes = branch_of(node, true), .no = branch_of(node, false)};
    // Without elements the other branch gives a tensor without elements, too.
    if (branches.yes && branches.no && probe_.says_none(node.inputs[0]) &&
        makes_nothing(*branches.yes)) {
      inlining_.add_branch(node, branches.no, inside);
      return true;
    }
    const Constant* condition = probe_.known(node.inputs[0]);
    if (condition == nullptr && branches.yes && branches.no) {
      inlining_.add_both(node, branches, inside);
      return true;
    }
    if (condition == nullptr || condition->count() != 1) return false;
    const auto& taken = condition->at(0) != 0.0 ? branches.yes : branches.no;
    if (taken) inlining_.add_branch(node, taken, inside);
    return taken != nullptr;
  }

  Inlining& inlining_;
  Translator probe_;
};

}  // namespace

void branch(Node& node) {
  if (node.inputs() != 3) node.refuse("its condition is not one truth, or a branch is missing");
  const Value& condition = node.value(0);
  if (const Constant* known = std::get_if<Constant>(&condition))
    return node.set(node.value(known->count() == 1 && known->at(0) != 0.0 ? 1 : 2));
  const Dims yes = node.dims(1), no = node.dims(2);
  if (yes != no) {
    node.refuse("its branches make " + text_of(yes) + " and " + text_of(no) +
                ", and which of them is not known before a frame is there; export the network "
                "with fixed sizes, or without the branch");
  }
  const Value truth = reshaped_value(node, condition, {});
  node.set(either(node, truth, node.value(1), node.value(2)));
}

void take_branches(Graph& graph, Inlining& inlining, const Circumstances& with) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), is_if)) return;
  Inlining::Nodes before = std::move(graph.nodes), after;
  graph.nodes.clear();
  Walk(graph, inlining, with).pass(std::move(before), 0, after);
  graph.nodes = std::move(after);
}

}  // namespace shingle::onnx
