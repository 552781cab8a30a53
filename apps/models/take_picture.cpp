#include "apps/models/take_picture.hpp"

namespace shingle {

std::optional<size_t> picture_size_input(const Model& model) {
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    const Tensor& input = model.at(model.inputs[i]);
    if (input.name == "orig_target_sizes" && input.type == ElementType::f32 &&
        input.shape.elements() == 2)
      return i;
  }
  return std::nullopt;
}

namespace {

Status check_picture(const Tensor& input) {
  if (input.type != ElementType::f32)
    return Error{"the model's input '" + input.name + "' already takes bytes"};
  if (input.shape.c != 1 && input.shape.c != 3)
    return Error{"the model's input '" + input.name + "' has " + std::to_string(input.shape.c) +
                 " channels; a picture has 1 or 3"};
  return success();
}

// Of a model with several inputs: a mask or a state may have one row, a picture has more.
bool could_be_picture(const Tensor& input) {
  return check_picture(input).ok() && input.shape.h > 1 && input.shape.w > 1;
}

}  // namespace

Result<TensorId> picture_input(const Model& model) {
  if (model.inputs.size() == 1) {
    const Status fits = check_picture(model.at(model.inputs[0]));
    return fits ? Result<TensorId>(model.inputs[0]) : fits.failure();
  }
  std::vector<TensorId> possible;
  for (const TensorId input : model.inputs)
    if (could_be_picture(model.at(input))) possible.push_back(input);
  if (possible.size() == 1) return possible[0];
  return Error{"of the model's " + std::to_string(model.inputs.size()) + " inputs " +
               (possible.empty() ? "none" : "more than one") + " could be a picture"};
}

Result<Shape> picture_shape(const Model& model) {
  const auto input = picture_input(model);
  if (!input) return input.failure();
  return model.at(*input).shape;
}

Status take_picture(Model& model, const Preparation& preparation) {
  const Result<TensorId> input = picture_input(model);
  if (!input) return input.failure();
  std::vector<float> scale, offset;
  for (size_t c = 0; c < static_cast<size_t>(model.at(*input).shape.c); ++c) {
    scale.push_back(1.0F / preparation.deviation[c]);
    offset.push_back(0.0F - preparation.mean[c] / preparation.deviation[c]);
  }
  take_image(model, *input, std::move(scale), std::move(offset));
  return success();
}

Status take_picture(Model& model, const ImageInput& image) {
  const Result<TensorId> input = picture_input(model);
  if (!input) return input.failure();
  if (image.of != model.hash) return Error{"they are for another model"};
  const size_t channels = static_cast<size_t>(model.at(*input).shape.c);
  if (image.scale.size() != channels || image.offset.size() != channels)
    return Error{"its pictures have " + std::to_string(channels) + " channels"};
  take_image(model, *input, image.scale, image.offset);
  return success();
}

}  // namespace shingle
