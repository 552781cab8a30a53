#include "partition/readers/darknet/layer.hpp"

#include "partition/base/text.hpp"
#include "partition/model/shape.hpp"

namespace shingle::darknet {

namespace {

struct NamedActivation {
  std::string_view name;
  Activation activation;
};

using Kind = Activation::Kind;
// Names from Darknet's activations.h. Deployed networks do not use the ones that are missing here.
constexpr NamedActivation activations[] = {
    {"linear", {}},
    {"leaky", {.kind = Kind::leaky_relu, .alpha = 0.1F}},
    {"relu", {.kind = Kind::relu}},
    {"relu6", {.kind = Kind::clip, .alpha = 0.0F, .beta = 6.0F}},
    {"relie", {.kind = Kind::leaky_relu, .alpha = 0.01F}},
    {"logistic", {.kind = Kind::sigmoid}},
    {"tanh", {.kind = Kind::tanh}},
    {"elu", {.kind = Kind::elu, .alpha = 1.0F}},
    {"hardtan", {.kind = Kind::clip, .alpha = -1.0F, .beta = 1.0F}},
    {"mish", {.kind = Kind::mish}},
    {"swish", {.kind = Kind::silu}},
};

}  // namespace

std::string LayerBuilder::name() const {
  return std::string(section_.kind()) + "_" + std::to_string(section_.layer());
}

std::string LayerBuilder::next_name() {
  const int32_t index = emitted_++;
  return index == 0 ? name() : name() + "." + std::to_string(index);
}

TensorId LayerBuilder::map_of(int64_t layer) {
  const std::optional<TensorId> map = network_.maps[static_cast<size_t>(layer)];
  if (map) return *map;
  section_.refuse(
      "it reads layer " + std::to_string(layer) +
      ", a detection, whose result no layer can read; use a [route] to a layer before it");
  return network_.model.inputs[0];
}

TensorId LayerBuilder::input() {
  if (section_.layer() == 0) return network_.model.inputs[0];
  return map_of(section_.layer() - 1);
}

std::vector<TensorId> LayerBuilder::maps(const char* option) {
  std::vector<TensorId> found;
  for (const int32_t given : section_.integers(option)) {
    const int64_t layer = given < 0 ? int64_t{section_.layer()} + given : given;
    if (layer >= 0 && layer < section_.layer()) {
      found.push_back(map_of(layer));
      continue;
    }
    section_.refuse(in_quotes(option) + " names layer " + std::to_string(layer) +
                    (section_.layer() == 0
                         ? ", and no layer comes before it"
                         : ", and only layers 0 to " + std::to_string(section_.layer() - 1) +
                               " come before it"));
  }
  if (found.empty()) section_.refuse(in_quotes(option) + " is missing: it says what to read");
  if (found.empty()) found.push_back(network_.model.inputs[0]);
  return found;
}

TensorId LayerBuilder::emit(Operator op, std::vector<TensorId> inputs, Activation activation) {
  const Result<Shape> shape = infer_shape(network_.model, op, inputs);
  if (!shape) section_.refuse(shape.error());
  if (!section_.sound()) return inputs[0];
  return add_layer(network_.model, next_name(), std::move(op), std::move(inputs), activation,
                   *shape);
}

TensorId LayerBuilder::emit(Operator op, std::vector<TensorId> inputs, Shape output) {
  if (!section_.sound()) return inputs[0];
  return add_layer(network_.model, next_name(), std::move(op), std::move(inputs), {}, output);
}

Activation LayerBuilder::activation(std::string_view usual) {
  const std::string_view name = section_.text("activation", usual);
  for (const NamedActivation& known : activations) {
    if (known.name == name) return known.activation;
  }
  std::string names;
  for (const NamedActivation& known : activations) {
    names.append(names.empty() ? "" : ", ").append(known.name);
  }
  section_.refuse("its activation is " + in_quotes(name) + ", and shingle knows " + names);
  return {};
}

}  // namespace shingle::darknet
