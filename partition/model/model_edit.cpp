// Makes models from models: the front of one, one that takes an image, one with given input sizes.
#include <cassert>
#include <map>

#include "partition/model/each_constant.hpp"
#include "partition/model/model.hpp"
#include "partition/model/shape.hpp"

namespace shingle {

namespace {

std::string text_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), bytes_of_floats(values.size())};
}

// Copies tensors and constants of one model into another when they are first used.
class Transplant {
 public:
  Transplant(const Model& source, Model& target) : source_(source), target_(target) {
    for (const std::vector<float>& values : source.owned) {
      owned_[reinterpret_cast<const std::byte*>(values.data())] = &values;
    }
  }

  TensorId tensor(TensorId id) {
    const auto [place, fresh] = tensors_.try_emplace(id, TensorId{});
    if (fresh) {
      Tensor copy = source_.at(id);
      if (copy.constant) copy.constant = constant(*copy.constant);
      target_.tensors.push_back(std::move(copy));
      place->second = TensorId{static_cast<uint32_t>(target_.tensors.size() - 1)};
    }
    return place->second;
  }

  Layer layer(const Layer& source) {
    Layer copy = source;
    for (TensorId& input : copy.inputs) input = tensor(input);
    copy.output = tensor(copy.output);
    each_constant(copy.op, [this](ConstantId& id) { id = constant(id); });
    return copy;
  }

 private:
  ConstantId constant(ConstantId id) {
    const auto [place, fresh] = constants_.try_emplace(id, ConstantId{});
    if (fresh) place->second = copy_of(source_.at(id));
    return place->second;
  }

  ConstantId copy_of(const FloatView& view) {
    const auto owner = owned_.find(view.data);
    if (owner != owned_.end()) return add_constant(target_, *owner->second);
    target_.constants.push_back(view);
    return ConstantId{static_cast<uint32_t>(target_.constants.size() - 1)};
  }

  const Model& source_;
  Model& target_;
  std::map<TensorId, TensorId> tensors_;
  std::map<ConstantId, ConstantId> constants_;
  std::map<const std::byte*, const std::vector<float>*> owned_;
};

}  // namespace

Model front(const Model& model, LayerId last) {
  assert(last.value < model.layers.size());
  Model result;
  Transplant transplant(model, result);
  for (TensorId input : model.inputs) result.inputs.push_back(transplant.tensor(input));
  for (uint32_t layer = 0; layer <= last.value; ++layer) {
    result.layers.push_back(transplant.layer(model.layers[layer]));
  }
  const TensorId output = result.layers.back().output;
  add_output(result, result.at(output).name, output);
  result.hash = sha256(to_string(model.hash) + " front " + std::to_string(last.value));
  return result;
}

void take_image(Model& model, std::vector<float> scale, std::vector<float> offset) {
  assert(model.inputs.size() == 1);
  take_image(model, model.inputs[0], std::move(scale), std::move(offset));
}

void take_image(Model& model, TensorId image, std::vector<float> scale, std::vector<float> offset) {
  assert(std::ranges::find(model.inputs, image) != model.inputs.end());
  assert(model.at(image).type == ElementType::f32);
  Tensor converted = model.at(image);
  assert(scale.size() == static_cast<size_t>(converted.shape.c) && offset.size() == scale.size());
  converted.name += " as floats";
  model.tensors[image.value].type = ElementType::u8;
  model.tensors.push_back(std::move(converted));
  const TensorId floats{static_cast<uint32_t>(model.tensors.size() - 1)};
  for (Layer& layer : model.layers) {
    std::replace(layer.inputs.begin(), layer.inputs.end(), image, floats);
  }
  for (ModelOutput& output : model.outputs) {
    if (output.tensor == image) output.tensor = floats;
  }
  model.image = ImageInput{.of = model.hash, .scale = scale, .offset = offset};
  model.hash = sha256(to_string(model.hash) + " image " + text_of(scale) + " " + text_of(offset));
  model.layers.insert(model.layers.begin(),
                      Layer{.name = "image to floats",
                            .op = Convert{std::move(scale), std::move(offset)},
                            .inputs = {image},
                            .output = floats,
                            .activation = {}});
}

void take_sizes(Model& model, InputShapes shapes) {
  assert(!model.image && !model.sized);
  const ModelHash of = model.hash;
  model.hash = sha256(to_string(of) + " shape " + to_string(shapes));
  model.sized = SizedInputs{.of = of, .shapes = std::move(shapes)};
}

ModelHash file_hash(const ModelName& name) {
  if (name.sized) return name.sized->of;
  return name.image ? name.image->of : name.hash;
}

ModelName name_of(const Model& model) {
  return {.hash = model.hash, .image = model.image, .sized = model.sized};
}

}  // namespace shingle
