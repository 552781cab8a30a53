// ModelFile: a model with the mapped files that its weights look into.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/mapped_file.hpp"
#include "partition/darknet.hpp"
#include "partition/model.hpp"

namespace shingle {

struct ModelFile {
  MappedFile file;                    // first, with the weights: they must outlive the model
  std::optional<MappedFile> weights;  // of a Darknet .cfg
  Model model;
  std::vector<DetectionLayer> detections;  // of a Darknet .cfg: how each output is to be decoded
};

// Reads an ONNX file. The sentence names the file and what is wrong with it.
Result<ModelFile> open_model(const std::string& path);

}  // namespace shingle
