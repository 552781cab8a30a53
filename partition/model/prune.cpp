#include "partition/model/prune.hpp"

#include <unordered_set>

#include "partition/model/each_constant.hpp"

namespace shingle {

namespace {

// Keeps only the marked elements of a list. Returns the new index by old index.
template <class T>
std::vector<uint32_t> keep(std::vector<T>& list, const std::vector<bool>& marked) {
  std::vector<uint32_t> new_index(list.size(), 0);
  uint32_t kept = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    if (!marked[i]) continue;
    new_index[i] = kept;
    if (kept != i) list[kept] = std::move(list[i]);
    ++kept;
  }
  list.resize(kept);
  return new_index;
}

// Marks the tensors that are used, and drops the layers whose output is not.
std::vector<bool> drop_layers(Model& model) {
  std::vector<bool> tensors(model.tensors.size(), false), layers(model.layers.size(), false);
  for (const TensorId input : model.inputs) tensors[input.value] = true;
  for (const ModelOutput& output : model.outputs) tensors[output.tensor.value] = true;
  for (size_t i = model.layers.size(); i-- > 0;) {  // readers come after what they read
    layers[i] = tensors[model.layers[i].output.value];
    if (!layers[i]) continue;
    for (const TensorId input : model.layers[i].inputs) tensors[input.value] = true;
  }
  keep(model.layers, layers);
  return tensors;
}

void drop_tensors(Model& model, const std::vector<bool>& marked) {
  const std::vector<uint32_t> new_index = keep(model.tensors, marked);
  const auto renumber = [&](TensorId& id) { id.value = new_index[id.value]; };
  for (TensorId& input : model.inputs) renumber(input);
  for (ModelOutput& output : model.outputs) renumber(output.tensor);
  for (Layer& layer : model.layers) {
    for (TensorId& input : layer.inputs) renumber(input);
    renumber(layer.output);
  }
}

void drop_constants(Model& model) {
  std::vector<bool> marked(model.constants.size(), false);
  const auto each = [&](auto visit) {
    for (Layer& layer : model.layers) each_constant(layer.op, visit);
    for (Tensor& tensor : model.tensors) {
      if (tensor.constant) visit(*tensor.constant);
    }
  };
  each([&](const ConstantId& id) { marked[id.value] = true; });
  const std::vector<uint32_t> new_index = keep(model.constants, marked);
  each([&](ConstantId& id) { id.value = new_index[id.value]; });
}

void drop_storage(Model& model) {
  std::unordered_set<const std::byte*> used;
  for (const FloatView& view : model.constants) used.insert(view.data);
  std::erase_if(model.owned, [&](const std::vector<float>& values) {
    return !used.contains(reinterpret_cast<const std::byte*>(values.data()));
  });
}

}  // namespace

void prune(Model& model) {
  drop_tensors(model, drop_layers(model));
  drop_constants(model);
  drop_storage(model);
}

}  // namespace shingle
