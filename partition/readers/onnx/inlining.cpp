#include "partition/readers/onnx/inlining.hpp"

#include <unordered_set>

#include "partition/base/text.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/opsets.hpp"
#include "partition/readers/onnx/refusal.hpp"

namespace shingle::onnx {

namespace {

constexpr int deepest_call = 32;
constexpr size_t items_per_node = 64;  // names and numbers that are copied, on average
constexpr size_t longest_name = 60;    // of what is taken over into a new name

std::string_view key_domain(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }

std::string_view name_of(const NodeProto& node) { return node.name.empty() ? node.op : node.name; }

[[noreturn]] void refuse_at(const NodeProto& node, const std::string& why) {
  throw Refusal{
      .sentence = "node " + in_quotes(name_of(node)) + " (" + readable(node.op) + "): " + why,
      .names_node = true};
}

void check_opset(const NodeProto& node, const Function& function) {
  const int64_t opset = function.opset;
  if (opset != 0 && (opset < oldest_opset || opset > newest_opset))
    refuse_at(node, "its function uses opset " + std::to_string(opset) + ", and shingle reads " +
                        std::to_string(oldest_opset) + " to " + std::to_string(newest_opset));
}

size_t items_of(const TensorProto& tensor) {
  return tensor.dims.size() + tensor.floats.size() + tensor.integers.size() + tensor.doubles.size();
}

// Tensors of a branch become nodes, so that they are copied no more often than nodes are.
Inlining::Nodes constants_of(const std::shared_ptr<const Graph>& branch) {
  Inlining::Nodes nodes;
  for (const TensorProto& tensor : branch->initializers) {
    Attribute value;
    value.name = "value";
    value.tensor = std::shared_ptr<const TensorProto>(branch, &tensor);
    NodeProto& node = nodes.emplace_back();
    node.name = tensor.name;
    node.op = "Constant";
    node.outputs = {tensor.name};
    node.attributes.push_back(std::move(value));
  }
  return nodes;
}

}  // namespace

// What takes a node's place.
struct Inlining::Call {
  const NodeProto& node;
  const Function* function;               // null: a branch, which sees the names around it
  std::vector<std::string_view> outputs;  // inside
  Names names;
};

Inlining::Inlining(File& file, const OnnxLimits& limits)
    : file_(file), most_(static_cast<size_t>(limits.max_nodes)) {
  for (const Function& function : file.functions) {
    const Key key{key_domain(function.domain), function.name, function.overload};
    if (!functions_.try_emplace(key, &function).second)
      refuse("the ONNX file has two functions named " + in_quotes(function.name));
  }
}

// An operator that is read needs no function, even where the file has one.
const Function* Inlining::called_by(const NodeProto& node) const {
  if (functions_.empty() || is_read(node)) return nullptr;
  const auto found = functions_.find({key_domain(node.domain), node.op, node.overload});
  return found == functions_.end() ? nullptr : found->second;
}

void Inlining::inline_functions() {
  if (functions_.empty()) return;
  Nodes nodes;
  for (NodeProto& node : file_.graph.nodes) add(std::move(node), 0, nodes);
  file_.graph.nodes = std::move(nodes);
}

void Inlining::add(NodeProto node, int depth, Nodes& to) {
  const Function* function = called_by(node);
  if (function == nullptr) return to.push_back(std::move(node));
  if (depth == deepest_call)
    refuse_at(node, "the file's functions call each other more than " +
                        std::to_string(deepest_call) + " deep");
  add_function(node, *function, depth, to);
}

void Inlining::add_function(const NodeProto& node, const Function& function, int depth, Nodes& to) {
  check_opset(node, function);
  if (node.inputs.size() > function.inputs.size())
    refuse_at(node, "it gives " + std::to_string(node.inputs.size()) +
                        " inputs to a function that takes " +
                        std::to_string(function.inputs.size()));
  charge(1 + function.inputs.size() + function.outputs.size());
  Call call{.node = node, .function = &function, .outputs = function.outputs, .names = {}};
  for (size_t i = 0; i < function.inputs.size(); ++i)
    call.names.emplace(function.inputs[i], i < node.inputs.size() ? node.inputs[i] : "");
  name_values(call, {}, function.nodes);
  add_nodes(call, function.nodes, depth, to);
  add_outputs(call, to);
}

void Inlining::add_branch(const NodeProto& node, const std::shared_ptr<const Graph>& branch,
                          Nodes& to) {
  charge(1 + branch->outputs.size());
  Call call{.node = node, .function = nullptr, .outputs = {}, .names = {}};
  for (const ValueInfo& output : branch->outputs) call.outputs.push_back(output.name);
  const Nodes constants = constants_of(branch);
  name_values(call, constants, branch->nodes);
  add_nodes(call, constants, 0, to);
  add_nodes(call, branch->nodes, 0, to);
  add_outputs(call, to);
}

void Inlining::add_both(const NodeProto& node, const Branches& branches, Nodes& to) {
  NodeProto yes = node, no = node;
  for (std::string_view& output : yes.outputs) output = output.empty() ? output : fresh(output);
  for (std::string_view& output : no.outputs) output = output.empty() ? output : fresh(output);
  add_branch(yes, branches.yes, to);
  add_branch(no, branches.no, to);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    NodeProto& choice = to.emplace_back();
    choice.name = node.name;
    choice.op = node.op;
    choice.inputs = {node.inputs[0], yes.outputs[i], no.outputs[i]};
    choice.outputs = {node.outputs[i]};
  }
}

// What is made inside is named as the node's output that it becomes, or anew.
void Inlining::name_values(Call& call, const Nodes& constants, const Nodes& nodes) {
  std::unordered_set<std::string_view> made;
  for (const Nodes* part : {&constants, &nodes})
    for (const NodeProto& node : *part) made.insert(node.outputs.begin(), node.outputs.end());
  const std::vector<std::string_view>& outer = call.node.outputs;
  if (outer.size() > call.outputs.size())
    refuse_at(call.node, "it has " + std::to_string(outer.size()) +
                             " outputs, and what it stands for makes " +
                             std::to_string(call.outputs.size()));
  for (size_t i = 0; i < outer.size(); ++i)
    if (!outer[i].empty() && made.contains(call.outputs[i]))
      call.names.try_emplace(call.outputs[i], outer[i]);
  for (const Nodes* part : {&constants, &nodes})
    for (const NodeProto& node : *part)
      for (const std::string_view name : node.outputs)
        if (!name.empty() && !call.names.contains(name)) call.names.emplace(name, fresh(name));
}

void Inlining::add_nodes(const Call& call, const Nodes& nodes, int depth, Nodes& to) {
  for (const NodeProto& node : nodes) {
    for (const std::string_view input : node.inputs)
      if (call.function != nullptr && !input.empty() && !call.names.contains(input))
        refuse_at(call.node, "its function reads " + in_quotes(input) + ", which it does not make");
    add(renamed(node, call), depth + 1, to);
  }
}

// Where an output is an input, a value around the branch, or an output already.
void Inlining::add_outputs(const Call& call, Nodes& to) {
  for (size_t i = 0; i < call.node.outputs.size(); ++i) {
    const auto found = call.names.find(call.outputs[i]);
    const std::string_view outer = call.node.outputs[i],
                           inner = found == call.names.end() ? call.outputs[i] : found->second;
    if (outer.empty() || outer == inner) continue;
    NodeProto& node = to.emplace_back();
    node.name = call.node.name;
    node.op = "Identity";
    node.inputs = {inner};
    node.outputs = {outer};
  }
}

NodeProto Inlining::renamed(const NodeProto& node, const Call& call) {
  if (++made_ > most_)
    refuse("the ONNX file's functions and branches make more than " + std::to_string(most_) +
           " nodes");
  charge(node.inputs.size() + node.outputs.size());
  const auto outside = [&](std::string_view name) {
    const auto found = call.names.find(name);
    return found == call.names.end() ? name : found->second;
  };
  NodeProto copy;
  copy.name = joined(call.node, node);
  copy.op = node.op;
  copy.domain = node.domain;
  copy.overload = node.overload;
  copy.opset =
      call.function != nullptr && call.function->opset != 0 ? call.function->opset : node.opset;
  for (const std::string_view name : node.inputs) copy.inputs.push_back(outside(name));
  for (const std::string_view name : node.outputs) copy.outputs.push_back(outside(name));
  copy.attributes = attributes_of(node, call);
  return copy;
}

// An attribute that refers to one that neither the caller nor the function gives is left out.
std::vector<Attribute> Inlining::attributes_of(const NodeProto& node, const Call& call) {
  std::vector<Attribute> attributes;
  for (const Attribute& given : node.attributes) {
    const Attribute* from = &given;
    if (call.function != nullptr && !given.reference.empty()) {
      from = attribute_named(call.node.attributes, given.reference);
      if (from == nullptr) from = attribute_named(call.function->defaults, given.reference);
    }
    if (from == nullptr) continue;
    charge(1 + from->floats.size() + from->ints.size() + from->strings.size());
    Attribute& copy = attributes.emplace_back(*from);
    copy.name = given.name;
    if (from == &given && given.graph) copy.graph = renamed(*given.graph, call);
  }
  return attributes;
}

// The graph inside, where it reads values of the call. Its own values keep their names until it is
// inlined itself.
std::shared_ptr<const Graph> Inlining::renamed(const Graph& graph, const Call& call) {
  charge(graph.inputs.size() + graph.outputs.size() + graph.initializers.size());
  for (const TensorProto& tensor : graph.initializers) charge(items_of(tensor));
  const auto copy = std::make_shared<Graph>();
  copy->initializers = graph.initializers;
  copy->inputs = graph.inputs;
  copy->outputs = graph.outputs;
  for (ValueInfo& output : copy->outputs) {
    const auto found = call.names.find(output.name);
    if (found != call.names.end()) output.name = found->second;
  }
  for (const NodeProto& node : graph.nodes) copy->nodes.push_back(renamed(node, call));
  return copy;
}

std::string_view Inlining::fresh(std::string_view name) {
  charge(1);
  return file_.names.emplace_back(std::string(name.substr(0, longest_name)) + "#" +
                                  std::to_string(file_.names.size()));
}

std::string_view Inlining::joined(const NodeProto& outer, const NodeProto& inner) {
  return file_.names.emplace_back(std::string(name_of(outer).substr(0, longest_name)) + "/" +
                                  std::string(name_of(inner).substr(0, longest_name)));
}

void Inlining::charge(size_t items) {
  copied_ += items;
  if (copied_ > most_ * items_per_node)
    refuse("the ONNX file's functions and branches copy more than " +
           std::to_string(most_ * items_per_node) + " names and numbers");
}

}  // namespace shingle::onnx
