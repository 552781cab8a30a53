// ModelFile: a model with the mapped file that its weights look into.
#pragma once

#include <string>

#include "apps/mapped_file.hpp"
#include "partition/model.hpp"

namespace shingle {

struct ModelFile {
  MappedFile file;  // first: it must outlive the model
  Model model;
};

// Reads an ONNX file. The sentence names the file and what is wrong with it.
Result<ModelFile> open_model(const std::string& path);

}  // namespace shingle
