#include "apps/run/fixed_inputs.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "apps/models/take_picture.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/plain_text.hpp"
#include "devices/files/toml_table.hpp"

namespace shingle {
namespace {

std::string described(const Tensor& input) {
  std::string text = "'";
  text.append(plain_text(input.name, 60)).append("' (");
  return text.append(std::to_string(input.shape.elements())).append(" float32 values)");
}

// The inputs besides the picture: "'a' (2 float32 values), 'b' (1 float32 values)".
std::string others(const Model& model, TensorId picture) {
  std::string text;
  for (const TensorId input : model.inputs) {
    if (input == picture) continue;
    text += (text.empty() ? "" : ", ") + described(model.at(input));
  }
  return text;
}

// A file has the channels first; a map has them last.
std::vector<std::byte> channels_last(std::string_view file, Shape shape) {
  std::vector<std::byte> map(file.size());
  const auto pixels = static_cast<size_t>(shape.h) * static_cast<size_t>(shape.w);
  const auto channels = static_cast<size_t>(shape.c);
  for (size_t c = 0; c < channels; ++c)
    for (size_t pixel = 0; pixel < pixels; ++pixel)
      std::memcpy(map.data() + (pixel * channels + c) * sizeof(float),
                  file.data() + (c * pixels + pixel) * sizeof(float), sizeof(float));
  return map;
}

Result<FrameInputs::Bytes> read_input(const std::string& path, const Tensor& input) {
  const auto bytes = static_cast<size_t>(input.shape.elements() * bytes_of(ElementType::f32));
  const auto text = read_text(path, "the input file", bytes);
  if (!text) return bad_input(text.error());
  if (text->size() != bytes)
    return bad_input("'" + path + "' has " + (text->size() > bytes ? "more than " : "only ") +
                     std::to_string(std::min(text->size(), bytes)) + " bytes; the input " +
                     described(input) + " takes " + std::to_string(bytes));
  return std::make_shared<const std::vector<std::byte>>(channels_last(*text, input.shape));
}

// The place of the input that "NAME=FILE" names, and the file.
struct Named {
  size_t input = 0;
  std::string file;
};

Result<Named> read_named(const Model& model, TensorId picture, const std::string& text) {
  const size_t first = text.find('=');
  if (first == std::string::npos || first == 0 || first + 1 == text.size())
    return usage_error("--input takes NAME=FILE, not '" + plain_text(text, 60) + "'");
  for (size_t i = 0; i < model.inputs.size(); ++i) {  // a name may hold '=', and so may a path
    const std::string& name = model.at(model.inputs[i]).name;
    if (model.inputs[i] != picture && text.starts_with(name) && text.size() > name.size() + 1 &&
        text[name.size()] == '=')
      return Named{i, text.substr(name.size() + 1)};
  }
  const std::string known = others(model, picture);
  return usage_error("--input: the model has no input '" + plain_text(text.substr(0, first), 60) +
                     "' besides its picture" + (known.empty() ? "" : "; it has " + known));
}

}  // namespace

FrameInputs FixedInputs::with(FrameInputs::Bytes image, FrameInputs::Bytes picture_size) const {
  assert(picture < tensors.size());
  std::vector<FrameInputs::Bytes> all = tensors;
  all[picture] = std::move(image);
  if (size) all[*size] = std::move(picture_size);
  return all;
}

Result<FixedInputs> read_fixed_inputs(const Model& model, TensorId picture,
                                      const std::vector<std::string>& texts) {
  const auto place = std::ranges::find(model.inputs, picture);
  assert(place != model.inputs.end());
  FixedInputs fixed{.picture = static_cast<size_t>(place - model.inputs.begin()),
                    .size = picture_size_input(model),
                    .tensors = std::vector<FrameInputs::Bytes>(model.inputs.size())};
  for (const std::string& text : texts) {
    const auto named = read_named(model, picture, text);
    if (!named) return named.failure();
    auto bytes = read_input(named->file, model.at(model.inputs[named->input]));
    if (!bytes) return bytes.failure();
    fixed.tensors[named->input] = std::move(*bytes);
    if (fixed.size == named->input) fixed.size.reset();
  }
  for (size_t i = 0; i < model.inputs.size(); ++i)
    if (i != fixed.picture && i != fixed.size && fixed.tensors[i] == nullptr)
      return usage_error("the model takes more than a picture: " + others(model, picture) +
                         "; give each as --input NAME=FILE");
  return fixed;
}

}  // namespace shingle
