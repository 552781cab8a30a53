#include "devices/model_constants.hpp"

namespace shingle {

void ModelConstants::add_tensors(const Model& model, const Step& step) {
  for (TensorId id : model.at(step.layer).inputs) {
    const Tensor& tensor = model.at(id);
    if (!tensor.constant || tensors_.contains(id.value)) continue;
    const FloatView view = model.at(*tensor.constant);
    std::vector<float>& values = tensors_[id.value];
    values.resize(static_cast<size_t>(view.count));
    std::memcpy(values.data(), view.data, values.size() * sizeof(float));
    bytes_ += view.count * 4;
  }
}

void ModelConstants::add_layer(const Model& model, LayerId layer) {
  if (layers_.contains(layer.value)) return;
  const auto [place, added] = layers_.emplace(layer.value, plain_constants(model, model.at(layer)));
  bytes_ += place->second.bytes();
}

ConstTensorView ModelConstants::tensor(const Model& model, TensorId id) const {
  const std::vector<float>& values = tensors_.at(id.value);
  return {reinterpret_cast<const std::byte*>(values.data()), whole(model.at(id).shape),
          ElementType::f32};
}

std::vector<std::pair<LayerId, std::span<std::byte>>> ModelConstants::weights() {
  std::vector<std::pair<LayerId, std::span<std::byte>>> all;
  for (auto& [layer, constants] : layers_)
    if (!constants.weights.empty())
      all.emplace_back(LayerId{layer}, std::as_writable_bytes(std::span(constants.weights)));
  return all;
}

std::vector<std::span<const std::byte>> ModelConstants::read_by(const Model& model,
                                                                const Step& step) const {
  std::vector<std::span<const std::byte>> all;
  for (TensorId id : model.at(step.layer).inputs)
    if (model.at(id).constant) all.push_back(std::as_bytes(std::span(tensors_.at(id.value))));
  if (!has_layer(step.layer)) return all;
  all.push_back(std::as_bytes(std::span(layer(step.layer).weights)));
  all.push_back(std::as_bytes(std::span(layer(step.layer).bias)));
  return all;
}

}  // namespace shingle
