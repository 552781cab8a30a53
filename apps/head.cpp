#include "apps/head.hpp"

#include "apps/head_fastestdet.hpp"
#include "apps/head_yolox.hpp"

namespace shingle {
namespace {

constexpr int64_t fastestdet_channels = 85;  // COCO's 80 classes: fewer would fit any network
constexpr int32_t fastestdet_stride = 16;

std::string dims_text(const Model& model) {
  std::string text;
  for (const ModelOutput& output : model.outputs) {
    if (!text.empty()) text += ", ";
    for (size_t i = 0; i < output.dims.size(); ++i)
      text.append(i == 0 ? "" : "x").append(std::to_string(output.dims[i]));
  }
  return text;
}

bool fits_yolox(const Model& model, Shape input) {
  const std::vector<int64_t>& dims = model.outputs[0].dims;
  return dims.size() == 3 && dims[1] == yolox_rows(input) && dims[2] > 5;
}

bool fits_fastestdet(const Model& model, Shape input) {
  const std::vector<int64_t>& dims = model.outputs[0].dims;
  return dims.size() == 4 && dims[1] > 5 && dims[2] * fastestdet_stride == input.h &&
         dims[3] * fastestdet_stride == input.w;
}

bool fits(Head head, const Model& model) {
  if (head == Head::raw) return true;
  if (model.inputs.size() != 1 || model.outputs.size() != 1) return false;
  const Shape input = model.at(model.inputs[0]).shape;
  return head == Head::yolox ? fits_yolox(model, input) : fits_fastestdet(model, input);
}

Head recognise(const Model& model) {
  if (fits(Head::yolox, model)) return Head::yolox;
  if (fits(Head::fastestdet, model) && model.outputs[0].dims[1] == fastestdet_channels)
    return Head::fastestdet;
  return Head::raw;
}

}  // namespace

const char* name_of(Head head) {
  switch (head) {
    case Head::raw:
      return "raw";
    case Head::yolox:
      return "yolox";
    case Head::fastestdet:
      return "fastestdet";
  }
  return "";
}

Result<Head> choose_head(const std::string& wish, const Model& model) {
  if (wish == "auto") return recognise(model);
  for (const Head head : {Head::raw, Head::yolox, Head::fastestdet}) {
    if (wish != name_of(head)) continue;
    if (fits(head, model)) return head;
    return Error{"the model's outputs (" + dims_text(model) + ") do not fit the head '" + wish +
                 "'; leave --head out, or take --head raw"};
  }
  return Error{"there is no head '" + wish + "'; known are auto, yolox, fastestdet and raw"};
}

InputRecipe recipe_of(Head head) {
  if (head == Head::yolox) return {.fit = Fit::letterbox, .scale = 1.0F};
  return {};
}

float usual_min_score(Head head) { return head == Head::fastestdet ? 0.65F : 0.3F; }

Result<Shape> picture_shape(const Model& model) {
  if (model.inputs.size() != 1)
    return Error{"the model has " + std::to_string(model.inputs.size()) +
                 " inputs; a picture is one"};
  const Tensor& input = model.at(model.inputs[0]);
  if (input.shape.c != 1 && input.shape.c != 3)
    return Error{"the model's input '" + input.name + "' has " + std::to_string(input.shape.c) +
                 " channels; a picture has 1 or 3"};
  return input.shape;
}

Status take_picture(Model& model, Head head) {
  const Result<Shape> shape = picture_shape(model);
  if (!shape) return Error{shape.error()};
  const size_t channels = static_cast<size_t>(shape->c);
  take_image(model, std::vector<float>(channels, recipe_of(head).scale),
             std::vector<float>(channels, 0.0F));
  return success();
}

std::vector<Detection> detect(Head head, const Model& model, const Thresholds& thresholds,
                              std::span<const std::vector<float>> outputs, cv::Size picture) {
  if (head == Head::raw) return {};
  const Shape input = model.at(model.inputs[0]).shape;
  const std::vector<int64_t>& dims = model.outputs[0].dims;
  std::vector<Detection> found;
  if (head == Head::yolox)
    found = decode_yolox(outputs[0], dims[2], input, thresholds.min_score);
  else
    found = decode_fastestdet(outputs[0],
                              {.h = static_cast<int32_t>(dims[2]),
                               .w = static_cast<int32_t>(dims[3]),
                               .c = static_cast<int32_t>(dims[1])},
                              input, thresholds.min_score);
  found = suppress(std::move(found), thresholds.max_overlap);
  const Placement placement = place(recipe_of(head).fit, picture, input);
  for (Detection& detection : found) detection.box = in_picture(detection.box, placement, picture);
  return found;
}

}  // namespace shingle
