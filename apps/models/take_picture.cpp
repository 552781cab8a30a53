#include "apps/models/take_picture.hpp"

namespace shingle {

bool takes_picture_size(const Model& model) {
  if (model.inputs.size() != 2) return false;
  const Tensor& sizes = model.at(model.inputs[1]);
  return sizes.name == "orig_target_sizes" && sizes.type == ElementType::f32 &&
         sizes.shape.elements() == 2;
}

Result<Shape> picture_shape(const Model& model) {
  if (model.inputs.size() != 1 && !takes_picture_size(model))
    return Error{"the model has " + std::to_string(model.inputs.size()) +
                 " inputs; a picture is one"};
  const Tensor& input = model.at(model.inputs[0]);
  if (input.type != ElementType::f32)
    return Error{"the model's input '" + input.name + "' is bytes already"};
  if (input.shape.c != 1 && input.shape.c != 3)
    return Error{"the model's input '" + input.name + "' has " + std::to_string(input.shape.c) +
                 " channels; a picture has 1 or 3"};
  return input.shape;
}

Status take_picture(Model& model, const Preparation& preparation) {
  const Result<Shape> shape = picture_shape(model);
  if (!shape) return Error{shape.error()};
  std::vector<float> scale, offset;
  for (size_t c = 0; c < static_cast<size_t>(shape->c); ++c) {
    scale.push_back(1.0F / preparation.deviation[c]);
    offset.push_back(0.0F - preparation.mean[c] / preparation.deviation[c]);
  }
  take_image(model, std::move(scale), std::move(offset));
  return success();
}

Status take_picture(Model& model, const ImageInput& image) {
  const Result<Shape> shape = picture_shape(model);
  if (!shape) return Error{shape.error()};
  if (image.of != model.hash) return Error{"they are for another model"};
  const size_t channels = static_cast<size_t>(shape->c);
  if (image.scale.size() != channels || image.offset.size() != channels)
    return Error{"its pictures have " + std::to_string(channels) + " channels"};
  take_image(model, image.scale, image.offset);
  return success();
}

}  // namespace shingle
