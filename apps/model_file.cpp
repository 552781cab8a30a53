#include "apps/model_file.hpp"

#include "partition/onnx.hpp"

namespace shingle {

Result<ModelFile> open_model(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return Error{file.error()};
  auto model = read_onnx(file->bytes());
  if (!model) return Error{"cannot take '" + path + "': " + model.error()};
  return ModelFile{.file = std::move(*file),
                   .weights = std::nullopt,
                   .model = std::move(*model),
                   .detections = {}};
}

}  // namespace shingle
