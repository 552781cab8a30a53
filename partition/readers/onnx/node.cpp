#include <cassert>

#include "partition/base/text.hpp"
#include "partition/model/shape.hpp"
#include "partition/readers/onnx/refusal.hpp"
#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

namespace {

constexpr size_t max_rank = 16;
constexpr size_t longest_list = 4096;  // of axes, sizes, parts
constexpr size_t layers_per_node = 4;  // on average; a hostile Sum of a million operands needs more

}  // namespace

std::string node_name(const NodeProto& node, size_t index) {
  if (!node.name.empty()) return readable(node.name);
  return readable(node.op) + "_" + std::to_string(index);
}

bool is_of_onnx(const NodeProto& node) { return node.domain.empty() || node.domain == "ai.onnx"; }

std::string Node::name() const { return node_name(proto_, index_); }

void Node::refuse(const std::string& why) const {
  throw Refusal{.sentence = "node '" + name() + "' (" + readable(proto_.op) + "): " + why,
                .names_node = true};
}

const Attribute* Node::attribute(std::string_view name) const {
  return attribute_named(proto_.attributes, name);
}

int64_t Node::integer(std::string_view name, int64_t otherwise) const {
  const Attribute* found = attribute(name);
  return found == nullptr ? otherwise : found->i;
}

float Node::number(std::string_view name, float otherwise) const {
  const Attribute* found = attribute(name);
  return found == nullptr ? otherwise : found->f;
}

Dims Node::integers(std::string_view name, Dims otherwise) const {
  const Attribute* found = attribute(name);
  return found == nullptr ? std::move(otherwise) : found->ints;
}

std::string_view Node::text(std::string_view name, std::string_view otherwise) const {
  const Attribute* found = attribute(name);
  return found == nullptr ? otherwise : found->s;
}

bool Node::has(size_t input) const {
  return input < proto_.inputs.size() && !proto_.inputs[input].empty();
}

const Value& Node::value(size_t input) {
  if (!has(input)) refuse("its input " + std::to_string(input) + " is missing");
  if (const auto other = replaced_.find(input); other != replaced_.end()) return other->second;
  const Value* found = translator_.find(proto_.inputs[input]);
  if (found == nullptr) {
    refuse("it reads " + in_quotes(proto_.inputs[input]) + ", which nothing before it makes");
  }
  return *found;
}

const Constant& Node::floats(size_t input) {
  const Constant& found = constant(input);
  if (found.integer) {
    refuse("its input " + in_quotes(proto_.inputs[input]) + " holds integers, not floats");
  }
  return found;
}

const Constant& Node::constant(size_t input) {
  const Constant* found = std::get_if<Constant>(&value(input));
  if (found == nullptr) {
    refuse("its input " + in_quotes(proto_.inputs[input]) +
           " depends on the model's input, where shingle needs a constant");
  }
  return *found;
}

Box Node::box(size_t input) {
  const Box* found = std::get_if<Box>(&value(input));
  if (found == nullptr) {
    refuse("its input " + in_quotes(proto_.inputs[input]) +
           " is a constant, where shingle needs one that depends on the model's input");
  }
  return *found;
}

bool Node::all_constant() {
  for (size_t input = 0; input < inputs(); ++input) {
    if (has(input) && !is_constant(input)) return false;
  }
  return true;
}

Dims Node::dims(size_t input) {
  const Value& operand = value(input);
  if (const Constant* known = std::get_if<Constant>(&operand)) return known->dims;
  return sizes(std::get<Box>(operand).view);
}

Numbers Node::numbers(size_t input) {
  if (!has(input)) return Numbers::real;
  const Value& operand = value(input);
  if (const Box* box = std::get_if<Box>(&operand)) return box->numbers;
  const Constant& known = std::get<Constant>(operand);
  if (known.type == DataType::boolean) return Numbers::truth;
  return known.integer ? Numbers::whole : Numbers::real;
}

Dims Node::integer_list(size_t input) {
  const Constant& list = constant(input);
  if (!list.integer || list.dims.size() > 1 || list.integers.size() > longest_list) {
    refuse("its input " + in_quotes(proto_.inputs[input]) + " is not a short list of integers");
  }
  return list.integers;
}

float Node::scalar(size_t input) {
  const Constant& number = constant(input);
  if (number.count() != 1) {
    refuse("its input " + in_quotes(proto_.inputs[input]) + " is not one number");
  }
  return static_cast<float>(number.at(0));
}

size_t Node::axis(int64_t axis, size_t rank) const {
  const auto dims = static_cast<int64_t>(rank);
  if (axis < -dims || axis >= dims) {
    refuse("its axis " + std::to_string(axis) + " is not one of " + std::to_string(rank) +
           " dimensions");
  }
  return static_cast<size_t>(axis < 0 ? axis + dims : axis);
}

void Node::check_rank(const Value& value) const {
  const Box* box = std::get_if<Box>(&value);
  const size_t rank =
      box != nullptr ? box->view.dims.size() : std::get<Constant>(value).dims.size();
  if (rank > max_rank)
    refuse("its output has more than " + std::to_string(max_rank) + " dimensions");
}

bool Node::wants(size_t output) const {
  return output < proto_.outputs.size() && !proto_.outputs[output].empty();
}

void Node::set(size_t output, Value value) {
  if (!wants(output)) return;
  const std::string_view name = proto_.outputs[output];
  check_rank(value);
  if (const Constant* known = std::get_if<Constant>(&value)) {
    store().budget.charge(std::ssize(known->integers), 8);  // the caller may copy it
  }
  if (Box* box = std::get_if<Box>(&value)) {
    box->sole = box->sole && translator_.uses_[name] == 1;
    box->says_none = false;
    box->numbers = result_numbers(*this, output);
  }
  translator_.values_.insert_or_assign(name, std::move(value));
}

Value* Node::made(size_t output) {
  if (!wants(output)) return nullptr;
  const auto found = translator_.values_.find(proto_.outputs[output]);
  return found == translator_.values_.end() ? nullptr : &found->second;
}

Box Node::layer(Operator op, std::vector<TensorId> inputs, View view, Shape shape) {
  const auto most = static_cast<size_t>(translator_.limits_.max_nodes) * layers_per_node;
  if (model().layers.size() >= most) {
    refuse("the network has more than " + std::to_string(most) + " layers");
  }
  const TensorId tensor = add_layer(model(), name(), std::move(op), std::move(inputs), {}, shape);
  translator_.layer_of_[tensor.value] = static_cast<uint32_t>(model().layers.size() - 1);
  if (box_shape(view) != shape) {
    refuse("its output is " + to_string(shape) + " where " + text_of(sizes(view)) + " is expected");
  }
  return {.tensor = tensor, .view = std::move(view), .sole = true};
}

Box Node::emit(Operator op, std::vector<TensorId> inputs, View view) {
  const Result<Shape> shape = infer_shape(model(), op, inputs);
  if (!shape) refuse(shape.error());
  return layer(std::move(op), std::move(inputs), std::move(view), *shape);
}

Box Node::emit(Operator op, std::vector<TensorId> inputs, View view, Shape shape) {
  Box box = layer(std::move(op), std::move(inputs), std::move(view), shape);
  const Status fits = check_shape(model(), model().layers.back());
  if (!fits) refuse(fits.error());
  return box;
}

View Node::new_map(const Dims& dims) const {
  check_box_dims(dims, translator_.limits_, "its output");
  return map_view(dims);
}

TensorId Node::constant_tensor(Shape shape, std::vector<float> values) {
  assert(static_cast<int64_t>(values.size()) == shape.elements());
  return add_constant_tensor(model(), name() + " constant", shape, std::move(values));
}

ConstantId Node::constant_id(FloatView view) {
  model().constants.push_back(view);
  return ConstantId{static_cast<uint32_t>(model().constants.size() - 1)};
}

const Layer* Node::maker(TensorId tensor) const {
  const auto found = translator_.layer_of_.find(tensor.value);
  if (found == translator_.layer_of_.end()) return nullptr;
  return &translator_.model_.layers[found->second];
}

Layer* Node::changeable_layer(const Box& box) {
  const Layer* layer = maker(box.tensor);
  if (!box.sole || layer == nullptr || layer->activation.kind != Activation::Kind::none) {
    return nullptr;
  }
  return &model().layers[static_cast<size_t>(layer - model().layers.data())];
}

const AffineChain* Node::chain(const Box& box) {
  if (changeable_layer(box) == nullptr) return nullptr;
  const auto found = translator_.chains_.find(box.tensor.value);
  return found == translator_.chains_.end() ? nullptr : &found->second;
}

void Node::set_chain(TensorId tensor, AffineChain chain) {
  translator_.chains_.insert_or_assign(tensor.value, std::move(chain));
}

Box Node::activate(const Box& box, Activation activation) {
  if (Layer* maker = changeable_layer(box)) {
    maker->activation = activation;
    return box;
  }
  Box result = emit(Elementwise{}, {box.tensor}, box.view);
  model().layers.back().activation = activation;
  return result;
}

Box Node::laid_out(const Box& box, const BoxAxes& target) {
  const View view = onnx::laid_out(box.view, target);
  if (view == box.view) return box;
  Translator::RearrangeKey key{box.tensor.value, box.view.factors, box.view.box, target};
  const auto known = translator_.rearranged_.find(key);
  if (known != translator_.rearranged_.end()) {
    return {.tensor = known->second, .view = view, .sole = false};
  }
  Box moved = emit(
      Rearrange{.factors = box.view.factors, .input_axes = box.view.box, .output_axes = target},
      {box.tensor}, view);
  translator_.rearranged_.emplace(std::move(key), moved.tensor);
  moved.sole = false;  // another node that asks for the same move reads it too
  return moved;
}

Box Node::as_map(const Box& box) {
  return laid_out(box, arranged(box.view, map_axes(sizes(box.view))));
}

Box Node::as_image(size_t input) {
  const Box operand = box(input);
  const Dims dims = sizes(operand.view);
  if (dims.size() < 3 || dims.size() > 4) {
    refuse("its input is " + text_of(dims) + ", where shingle needs 1xCxHxW or 1xCxL");
  }
  if (dims[0] != 1) {
    refuse("its input " + text_of(dims) + " is a batch of " + std::to_string(dims[0]) +
           ", and shingle runs one frame at a time; export the model with a batch of 1");
  }
  return as_map(operand);
}

}  // namespace shingle::onnx
