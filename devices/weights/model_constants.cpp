#include "devices/weights/model_constants.hpp"

namespace shingle {

// A tensor's values stand where a layer's weights do.
struct ConstantPool::Held {
  Held(PlainConstants made, LayerId layer, MemoryAccount& its_account, WeightWatch* its_watch)
      : values(std::move(made)), bytes(values.bytes()), account(its_account), watch(its_watch) {
    account.add(bytes);
    if (watch == nullptr) return;
    watch->add(layer, std::as_bytes(std::span(values.weights)));
    watch->add(layer, std::as_bytes(std::span(values.bias)));
  }
  ~Held() {
    account.remove(bytes);
    if (watch == nullptr) return;
    watch->remove(std::as_bytes(std::span(values.weights)));
    watch->remove(std::as_bytes(std::span(values.bias)));
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  PlainConstants values;
  const int64_t bytes;
  MemoryAccount& account;
  WeightWatch* const watch;
};

std::shared_ptr<ConstantPool::Held> ConstantPool::hold(PlainConstants values, LayerId layer) const {
  // Apart from its counts, so that a name that is kept keeps no memory.
  return std::shared_ptr<Held>(new Held(std::move(values), layer, account_, watch_));
}

std::shared_ptr<const PlainConstants> ConstantPool::layer(const Model& model, LayerId id) {
  const auto held = layers_
                        .get(id.value,
                             [&] {
                               return Result<std::shared_ptr<Held>>(
                                   hold(plain_constants(model, model.at(id)), id));
                             })
                        .value();
  return {held, &held->values};
}

std::shared_ptr<const std::vector<float>> ConstantPool::tensor(const Model& model, TensorId id,
                                                               LayerId reader) {
  const auto make = [&] {
    const FloatView view = model.at(*model.at(id).constant);
    PlainConstants values;
    values.weights.resize(static_cast<size_t>(view.count));
    std::memcpy(values.weights.data(), view.data, view.bytes().size());
    return Result<std::shared_ptr<Held>>(hold(std::move(values), reader));
  };
  const auto held = tensors_.get(id.value, make).value();
  return {held, &held->values.weights};
}

bool ConstantPool::has_layer(LayerId id) const {
  bool found = false;
  layers_.visit([&](uint32_t layer, const Held&) { found = found || layer == id.value; });
  return found;
}

std::vector<std::pair<LayerId, std::span<std::byte>>> ConstantPool::weights() const {
  std::vector<std::pair<LayerId, std::span<std::byte>>> all;
  layers_.visit([&](uint32_t layer, Held& held) {
    if (!held.values.weights.empty())
      all.emplace_back(LayerId{layer}, std::as_writable_bytes(std::span(held.values.weights)));
  });
  return all;
}

void ConstantPool::sweep() {
  layers_.sweep();
  tensors_.sweep();
}

void ModelConstants::add_tensors(const Model& model, const Step& step, ConstantPool& pool) {
  for (const TensorId id : model.at(step.layer).inputs)
    if (model.at(id).constant && !tensors_.contains(id.value))
      tensors_.emplace(id.value, pool.tensor(model, id, step.layer));
}

void ModelConstants::add_layer(const Model& model, LayerId layer, ConstantPool& pool) {
  if (!layers_.contains(layer.value)) layers_.emplace(layer.value, pool.layer(model, layer));
}

ConstTensorView ModelConstants::tensor(const Model& model, TensorId id) const {
  return {reinterpret_cast<const std::byte*>(tensors_.at(id.value)->data()),
          whole(model.at(id).shape), ElementType::f32};
}

}  // namespace shingle
