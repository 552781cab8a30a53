// OpenedModel: the model of a session, what it takes and what it gives.
#pragma once

#include <shingle/shingle.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "apps/library/session_settings.hpp"
#include "apps/system/temporary_folder.hpp"

namespace shingle {

// How it takes pictures, and what its outputs say of them.
struct PictureUse {
  Reading reading;
  Thresholds thresholds;
  size_t picture = 0;            // which input takes the picture
  std::optional<size_t> size{};  // and which the picture's width and height
};

// Where its file is.
struct ModelPlace {
  std::optional<TemporaryFolder> folder{};  // with the file, of a model that was given as bytes
  ModelPath path;
};
Result<ModelPlace> place_of_model(const ModelSettings& settings);

struct OpenedModel {
  std::shared_ptr<const ModelFile> file;
  std::optional<PictureUse> pictures{};  // none: it takes tensors

  std::shared_ptr<const Model> model() const { return {file, &file->model}; }
};

// The file of a plan may say the sizes that the model's file leaves open.
Result<OpenedModel> open_model_of(const SessionSettings& settings, const ModelPath& path);

// Name, type, dims and size; the name lives as long as the model. REQUIRES: there is one at that
// place.
shingle_tensor input_of(const Model& model, size_t index);
shingle_tensor output_of(const Model& model, size_t index);

// Dims and size of a densely packed tensor. Of more dimensions than there is room for, the first
// ones are multiplied.
void set_dims(shingle_tensor& tensor, std::span<const int64_t> dims, int64_t element_bytes);

// The places in Model::outputs of the outputs that the model's file has. Others only count.
std::vector<size_t> file_outputs(const Model& model);

}  // namespace shingle
