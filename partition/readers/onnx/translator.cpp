#include "partition/readers/onnx/translator.hpp"

#include <algorithm>
#include <unordered_set>

#include "partition/base/text.hpp"
#include "partition/model/late_moves.hpp"
#include "partition/model/prune.hpp"
#include "partition/readers/onnx/element_types.hpp"
#include "partition/readers/onnx/input_layout.hpp"
#include "partition/readers/onnx/input_sizes.hpp"
#include "partition/readers/onnx/known_output.hpp"
#include "partition/readers/onnx/operators/counts/masks.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/patterns/fusion.hpp"
#include "partition/readers/onnx/refusal.hpp"

namespace shingle::onnx {

std::string text_of(const Dims& dims) {
  if (dims.empty()) return "a single number";
  std::string text;
  for (const int64_t dim : dims) {
    if (!text.empty()) text += 'x';
    text += std::to_string(dim);
  }
  return text;
}

void check_box_dims(const Dims& dims, const OnnxLimits& limits, const std::string& what) {
  int64_t total = 1;
  for (const int64_t dim : dims) {
    if (dim < 1 || dim > limits.max_dimension) {
      refuse(what + " would be " + text_of(dims) + ", and a dimension is 1 to " +
             std::to_string(limits.max_dimension));
    }
    if (dim > limits.max_elements / total) {
      refuse(what + " would be " + text_of(dims) + ", more than " +
             std::to_string(limits.max_elements) + " elements");
    }
    total *= dim;
  }
}

Translator::Translator(const Graph& graph, const Circumstances& with)
    : graph_(graph),
      opset_(with.opset),
      limits_(with.limits),
      sizes_(with.sizes),
      store_{.model = model_,
             .limits = limits_,
             .budget = Budget(4 * with.held_bytes, limits_.max_constant_bytes),
             .external = {}} {
  for (const OnnxExternal& file : with.external) store_.external.emplace(file.location, file.bytes);
  for (const TensorProto& tensor : graph.initializers) {
    if (!initializers_.try_emplace(tensor.name, &tensor).second) {
      refuse("the ONNX file has two initializers named " + in_quotes(tensor.name));
    }
  }
}

void Translator::check_names() const {
  std::unordered_set<std::string_view> made;
  for (const ValueInfo& input : graph_.inputs) {
    if (!made.insert(input.name).second) {
      refuse("the ONNX file has two inputs named " + in_quotes(input.name));
    }
  }
  for (const auto& [name, tensor] : initializers_) made.insert(name);
  for (const NodeProto& node : graph_.nodes) {
    for (const std::string_view output : node.outputs) {
      if (!output.empty() && !made.insert(output).second) {
        refuse("the ONNX file makes the value " + in_quotes(output) +
               " twice, the second time in node " + in_quotes(node.name) + " (" +
               readable(node.op) + ")");
      }
    }
  }
}

void Translator::add_inputs() {
  const std::vector<const ValueInfo*> inputs = frame_inputs(graph_);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueInfo& input = *inputs[i];
    const std::optional<Numbers> numbers = numbers_of(input.element_type);
    if (!numbers) {
      refuse("input " + in_quotes(input.name) + " is of type " + type_name(input.element_type) +
             ", and shingle takes float, float16, bfloat16, double, int32, int64 and bool");
    }
    const View view = input_view(graph_, input.name, sizes_[i]);
    const TensorId tensor = add_input(model_, readable(input.name), box_shape(view));
    values_.emplace(input.name,
                    Box{.tensor = tensor, .view = view, .sole = false, .numbers = *numbers});
  }
  if (model_.inputs.empty()) refuse("the ONNX file has no input");
}

void Translator::count_uses() {
  for (size_t node = 0; node < graph_.nodes.size(); ++node) {
    if (!live_[node]) continue;
    for (const std::string_view input : graph_.nodes[node].inputs) ++uses_[input];
  }
  for (const ValueInfo& output : graph_.outputs) ++uses_[output.name];
}

const Value* Translator::find(std::string_view name) {
  const auto known = values_.find(name);
  if (known != values_.end()) return &known->second;
  const auto initializer = initializers_.find(name);
  if (initializer == initializers_.end()) return nullptr;
  return &values_.emplace(name, store_.from(*initializer->second)).first->second;
}

void Translator::add_output(std::string_view name, const Box& box) {
  TensorId tensor = box.tensor;
  if (!layer_of_.contains(tensor.value)) {  // a graph input that is also an output
    tensor =
        add_layer(model_, readable(name), Elementwise{}, {tensor}, {}, model_.at(tensor).shape);
  }
  model_.outputs.push_back({.name = readable(name),
                            .tensor = tensor,
                            .dims = sizes(box.view),
                            .factors = box.view.factors,
                            .box_axes = box.view.box,
                            .dim_axes = box.view.dims});
}

namespace {

// What makes the layers behind an output; refusals name it.
NodeProto output_node(std::string_view name) {
  NodeProto proto;
  proto.name = name;
  proto.op = "output";
  return proto;
}

}  // namespace

// The output with 0 behind its counts.
Box Translator::counted_output(std::string_view name, const Box& box) {
  const NodeProto proto = output_node(name);
  Node node(*this, proto, graph_.nodes.size());
  return std::get<Box>(masked(node, box, box.counts, 0.0F));
}

// NAME.count, or with the dimension behind it; the file may have an output of that name.
std::string Translator::name_of_count(std::string_view output, const std::string& dim) const {
  std::string text = std::string(output) + ".count" + dim;
  while (std::ranges::find(model_.outputs, text, &ModelOutput::name) != model_.outputs.end())
    text += '_';
  return text;
}

// Notes which outputs count the places of an output; adds those that the file has not.
void Translator::add_counts(size_t output, std::string_view name, const Counts& counts) {
  const NodeProto proto = output_node(name);
  Node node(*this, proto, graph_.nodes.size());
  for (const Counted& counted : counts) {
    const TensorId tensor = tensor_of(node, counted.count);
    const auto found = std::ranges::find(model_.outputs, tensor, &ModelOutput::tensor);
    const auto place = static_cast<size_t>(found - model_.outputs.begin());
    if (place == model_.outputs.size()) {
      const std::string dim = counts.size() > 1 ? std::to_string(counted.dim) : "";
      add_output(name_of_count(name, dim), {.tensor = tensor, .view = map_view({})});
      model_.outputs.back().is_only_count = true;
    }
    model_.outputs[output].counted.push_back({.dim = counted.dim, .output = place});
  }
}

void Translator::add_outputs() {
  if (graph_.outputs.empty()) refuse("the ONNX file has no output");
  std::vector<Counts> counts;
  for (const ValueInfo& output : graph_.outputs) {
    const Value* value = find(output.name);
    if (value == nullptr) {
      refuse("nothing in the ONNX file makes its output " + in_quotes(output.name));
    }
    const Box box = output_box(output.name, *value);
    counts.push_back(box.counts);
    add_output(output.name, box.counts.empty() ? box : counted_output(output.name, box));
  }
  for (size_t i = 0; i < counts.size(); ++i) add_counts(i, graph_.outputs[i].name, counts[i]);
}

// The value; what is known comes from a layer.
Box Translator::output_box(std::string_view name, const Value& value) {
  if (const Constant* known = std::get_if<Constant>(&value)) {
    const NodeProto proto = output_node(name);
    Node node(*this, proto, graph_.nodes.size());
    try {
      return known_output(node, model_.inputs.front(), *known);
    } catch (const Refusal& refusal) {
      refuse("output " + in_quotes(name) + " is a constant: " + refusal.sentence);
    }
  }
  return std::get<Box>(value);
}

void Translator::probe(const NodeProto& proto, size_t index) {
  try {
    Node node(*this, proto, index);
    onnx::translate(node);
  } catch (const Refusal&) {  // translate() says it, if the node is of use at all
  }
}

const Constant* Translator::known(std::string_view name) {
  const Value* value = find(name);
  return value == nullptr ? nullptr : std::get_if<Constant>(value);
}

bool Translator::says_none(std::string_view name) {
  const Value* value = find(name);
  const Box* box = value == nullptr ? nullptr : std::get_if<Box>(value);
  return box != nullptr && box->says_none;
}

Model Translator::translate() && {
  check_names();
  add_inputs();
  live_ = live_nodes(graph_);
  count_uses();
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    if (!live_[i]) continue;
    Node node(*this, graph_.nodes[i], i);
    onnx::translate(node);
  }
  add_outputs();
  prune(model_);
  move_late(model_);
  return std::move(model_);
}

}  // namespace shingle::onnx
