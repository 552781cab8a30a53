// ModelFile: a model with the mapped files that hold its weights.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <vector>

#include "apps/models/file_hashes.hpp"
#include "apps/models/onnx_file.hpp"
#include "devices/weights/mapped_file.hpp"
#include "partition/readers/darknet.hpp"

namespace shingle {

// Where a model lies: an ONNX file, or a Darknet .cfg and its .weights.
struct ModelPath {
  std::string path;
  std::string weights;  // of a .cfg, else empty

  // Without `its_weights`, a .cfg takes the file beside it: yolov3.cfg takes yolov3.weights.
  ModelPath(std::string model, std::string its_weights = {});
  friend auto operator<=>(const ModelPath&, const ModelPath&) = default;
};

struct ModelFile {
  MappedFile file;                     // before `model`, as the other files: they must outlive it
  std::optional<MappedFile> weights;   // of a Darknet .cfg
  std::vector<MappedFile> external{};  // that hold tensors of an ONNX file
  Model model;
  std::vector<DetectionLayer> detections;  // of a Darknet .cfg: how to decode each output
  std::vector<DarknetModel::Folding> foldings;
  OnnxMetadata metadata;  // of an ONNX file: key-value pairs that its exporter wrote
};

// Reads the model. The sentence names the file and what is wrong with it.
Result<ModelFile> open_model(const ModelPath& path, const OnnxOptions& options = {});
Result<ModelFile> open_model(const ModelPath& path, FileHashes& hashes,
                             const OnnxOptions& options = {});

// The file_hash() of the model that open_model() would give without a said opset: the hash of its
// files' bytes.
Result<ModelHash> hash_of_model(const ModelPath& path, FileHashes& hashes);

}  // namespace shingle
