#include "partition/model/model.hpp"

#include <numeric>

#include "partition/model/shape.hpp"

namespace shingle {

namespace {

TensorId add_tensor(Model& model, Tensor tensor) {
  model.tensors.push_back(std::move(tensor));
  return TensorId{static_cast<uint32_t>(model.tensors.size() - 1)};
}

// Multiplications for one output element of a convolution, a product or a recurrence; 0 for every
// other operator. The taps of a transposed convolution are divided over the phases of its stride.
double macs_per_element(const Model& model, const Layer& layer) {
  const auto group_channels = [&](int32_t groups) {
    return static_cast<double>(model.at(layer.inputs[0]).shape.c) / groups;
  };
  if (const auto* op = std::get_if<Convolution>(&layer.op)) {
    return group_channels(op->groups) * op->y.kernel * op->x.kernel;
  }
  if (const auto* op = std::get_if<TransposedConvolution>(&layer.op)) {
    return group_channels(op->groups) * op->y.kernel * op->x.kernel / op->y.stride / op->x.stride;
  }
  if (const auto* op = std::get_if<MatrixProduct>(&layer.op)) return group_channels(op->stack);
  if (const auto* op =
          std::get_if<Recurrence>(&layer.op)) {  // a state has `hidden` numbers or twice
    return static_cast<double>(model.at(op->weights).count) / model.at(layer.output).shape.c;
  }
  return 0;
}

}  // namespace

TensorId add_input(Model& model, std::string name, Shape shape, ElementType type) {
  const TensorId id = add_tensor(
      model, {.name = std::move(name), .shape = shape, .type = type, .constant = std::nullopt});
  model.inputs.push_back(id);
  return id;
}

ConstantId add_constant(Model& model, std::vector<float> values) {
  model.owned.push_back(std::move(values));
  const std::vector<float>& kept = model.owned.back();
  model.constants.push_back({.data = reinterpret_cast<const std::byte*>(kept.data()),
                             .count = static_cast<int64_t>(kept.size())});
  return ConstantId{static_cast<uint32_t>(model.constants.size() - 1)};
}

TensorId add_constant_tensor(Model& model, std::string name, Shape shape,
                             std::vector<float> values) {
  const ConstantId constant = add_constant(model, std::move(values));
  return add_tensor(
      model,
      {.name = std::move(name), .shape = shape, .type = ElementType::f32, .constant = constant});
}

TensorId add_layer(Model& model, std::string name, Operator op, std::vector<TensorId> inputs,
                   Activation activation, Shape output) {
  const TensorId id = add_tensor(
      model, {.name = name, .shape = output, .type = ElementType::f32, .constant = std::nullopt});
  model.layers.push_back({.name = std::move(name),
                          .op = std::move(op),
                          .inputs = std::move(inputs),
                          .output = id,
                          .activation = activation});
  return id;
}

TensorId add_layer(Model& model, std::string name, Operator op, std::vector<TensorId> inputs,
                   Activation activation) {
  const Result<Shape> shape = infer_shape(model, op, inputs);
  return add_layer(model, std::move(name), std::move(op), std::move(inputs), activation,
                   shape ? *shape : Shape{0, 0, 0});
}

const char* name_of(const Operator& op) {
  static constexpr const char* names[] = {"Convolution",   "TransposedConvolution",
                                          "Pooling",       "Reduction",
                                          "Elementwise",   "Binary",
                                          "Concat",        "StridedSlice",
                                          "Gather",        "Pad",
                                          "Resize",        "Rearrange",
                                          "Softmax",       "Convert",
                                          "MatrixProduct", "GridSample",
                                          "Order",         "Take",
                                          "Scatter",       "Suppression",
                                          "NonZero",       "Recurrence"};
  static_assert(std::size(names) == std::variant_size_v<Operator>);
  return names[op.index()];
}

namespace {

// What must be computed of a layer's output to have `output`: of a recurrence the whole states of
// all steps before as well.
Region computed(const Model& model, const Layer& layer, Region output) {
  const auto* op = std::get_if<Recurrence>(&layer.op);
  if (op == nullptr || output.empty()) return output;
  const Shape shape = model.at(layer.output).shape;
  (op->backward ? output.x.end : output.x.begin) = op->backward ? shape.w : 0;
  output.c = {0, shape.c};
  return output;
}

}  // namespace

int64_t macs(const Model& model, LayerId id, const Region& output) {
  const Layer& layer = model.at(id);
  const double total = static_cast<double>(computed(model, layer, output).elements()) *
                       macs_per_element(model, layer);
  return static_cast<int64_t>(total + 0.5);
}

int64_t total_macs(const Model& model) {
  int64_t total = 0;
  for (uint32_t layer = 0; layer < model.layers.size(); ++layer) {
    total += macs(model, LayerId{layer}, whole(model.at(model.layers[layer].output).shape));
  }
  return total;
}

int64_t parameters(const Model& model) {
  return std::accumulate(model.constants.begin(), model.constants.end(), int64_t{0},
                         [](int64_t sum, const FloatView& view) { return sum + view.count; });
}

std::optional<LayerId> producer(const Model& model, TensorId tensor) {
  for (uint32_t layer = 0; layer < model.layers.size(); ++layer) {
    if (model.layers[layer].output == tensor) return LayerId{layer};
  }
  return std::nullopt;
}

std::vector<std::vector<LayerId>> readers(const Model& model) {
  std::vector<std::vector<LayerId>> by_tensor(model.tensors.size());
  for (uint32_t layer = 0; layer < model.layers.size(); ++layer) {
    for (TensorId input : model.layers[layer].inputs) {
      std::vector<LayerId>& list = by_tensor[input.value];
      if (list.empty() || list.back() != LayerId{layer}) list.push_back(LayerId{layer});
    }
  }
  return by_tensor;
}

void release_pages(const Model& model, std::span<const std::byte> bytes) {
  if (model.release_pages == nullptr) return;
  for (const std::vector<float>& values : model.owned) {
    const auto* first = reinterpret_cast<const std::byte*>(values.data());
    if (bytes.data() >= first && bytes.data() < first + bytes_of_floats(values.size())) return;
  }
  model.release_pages(bytes);
}

}  // namespace shingle
