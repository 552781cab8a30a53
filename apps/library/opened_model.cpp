#include "apps/library/opened_model.hpp"

#include <algorithm>
#include <cassert>
#include <span>

#include "apps/client/plan_file.hpp"
#include "apps/heads/usual_size.hpp"
#include "apps/system/write_file.hpp"

namespace shingle {
namespace {

// Changes the model's input to bytes.
Result<PictureUse> let_take_pictures(ModelFile& file, const PictureSettings& settings,
                                     const std::string& path) {
  const auto refused = [&](const std::string& why) {
    return bad_input("'" + path + "' cannot take pictures: " + why);
  };
  PictureUse use;
  if (const Status chosen = choose_reading(file, settings.reading, use.reading); !chosen)
    return chosen.failure();
  const auto picture = picture_input(file.model);
  if (!picture) return refused(picture.error());
  const auto place = std::ranges::find(file.model.inputs, *picture);
  use.picture = static_cast<size_t>(place - file.model.inputs.begin());
  use.size = picture_size_input(file.model);
  const size_t known = use.size ? 2 : 1;
  if (file.model.inputs.size() != known)
    return refused(
        "it has further inputs; open it without the option 'pictures', and give all as "
        "tensors");
  use.thresholds = {.min_score = settings.min_score.value_or(use.reading.head->usual_min_score),
                    .max_overlap = settings.max_overlap};
  if (const Status taken = take_picture(file.model, use.reading.preparation); !taken)
    return refused(taken.error());
  return use;
}

shingle_tensor named(const std::string& name, ElementType type) {
  shingle_tensor tensor{};
  tensor.struct_size = sizeof tensor;
  tensor.name = name.c_str();
  tensor.type = type == ElementType::u8 ? SHINGLE_U8 : SHINGLE_F32;
  return tensor;
}

}  // namespace

void set_dims(shingle_tensor& tensor, std::span<const int64_t> dims, int64_t element_bytes) {
  const size_t rank = std::min<size_t>(dims.size(), SHINGLE_MAX_RANK);
  const size_t merged = dims.size() - rank;
  tensor.rank = static_cast<int32_t>(rank);
  int64_t elements = 1;
  for (size_t i = 0; i < rank; ++i) tensor.dims[i] = dims[i + merged];
  for (size_t i = 0; i < merged; ++i) tensor.dims[0] *= dims[i];
  for (size_t i = 0; i < rank; ++i) elements *= tensor.dims[i];
  tensor.size = static_cast<size_t>(elements * element_bytes);
}

Result<ModelPlace> place_of_model(const ModelSettings& settings) {
  if (settings.bytes == nullptr && settings.path.empty())
    return usage_error("no model was given: set the option 'model', or give its bytes");
  if (settings.bytes == nullptr)
    return ModelPlace{.path = ModelPath(settings.path, settings.weights)};
  auto folder = TemporaryFolder::make();
  if (!folder) return folder.failure();
  const std::string path = folder->path() + "/model.onnx";
  const Status written = write_file(path, std::span(*settings.bytes));
  if (!written) return written.failure();
  return ModelPlace{.folder = std::move(*folder), .path = ModelPath(path)};
}

Result<OpenedModel> open_model_of(const SessionSettings& settings, const ModelPath& path) {
  const ModelSettings& model = settings.model;
  OpenedModel opened;
  OnnxOptions onnx{.shapes = model.shapes, .opset = model.opset, .advice = usual_shape};
  if (onnx.shapes.empty() && !settings.stream.plan.empty())
    onnx.shapes = shapes_in_plan_file(settings.stream.plan);
  auto file = open_model(path, onnx);
  if (!file) return bad_input(file.error());
  if (settings.pictures.taken) {
    auto use = let_take_pictures(*file, settings.pictures, path.path);
    if (!use) return use.failure();
    opened.pictures = std::move(*use);
  }
  opened.file = std::make_shared<const ModelFile>(std::move(*file));
  return opened;
}

shingle_tensor input_of(const Model& model, size_t index) {
  assert(index < model.inputs.size());
  const Tensor& input = model.at(model.inputs[index]);
  shingle_tensor tensor = named(input.name, input.type);
  const Shape shape = input.shape;
  set_dims(tensor, std::array<int64_t, 4>{1, shape.c, shape.h, shape.w}, bytes_of(input.type));
  return tensor;
}

shingle_tensor output_of(const Model& model, size_t index) {
  assert(index < model.outputs.size());
  const ModelOutput& output = model.outputs[index];
  shingle_tensor tensor = named(output.name, ElementType::f32);
  set_dims(tensor, output.dims, bytes_of(ElementType::f32));
  return tensor;
}

std::vector<size_t> file_outputs(const Model& model) {
  std::vector<size_t> places;
  for (size_t i = 0; i < model.outputs.size(); ++i)
    if (!model.outputs[i].is_only_count) places.push_back(i);
  return places;
}

}  // namespace shingle
