// ModelFile: a model with the mapped files that its weights look into.
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

  // A .cfg without `weights` has those beside it: yolov3.cfg has yolov3.weights.
  ModelPath(std::string model, std::string its_weights = {});
  friend auto operator<=>(const ModelPath&, const ModelPath&) = default;
};

struct ModelFile {
  MappedFile file;                     // first, with the weights: they must outlive the model
  std::optional<MappedFile> weights;   // of a Darknet .cfg
  std::vector<MappedFile> external{};  // in which tensors of an ONNX file lie
  Model model;
  std::vector<DetectionLayer> detections;  // of a Darknet .cfg: how each output is to be decoded
  std::vector<DarknetModel::Folding> foldings;
  OnnxMetadata metadata;  // of an ONNX file: what its exporter wrote beside the graph
};

// Reads the model. The sentence names the file and what is wrong with it.
Result<ModelFile> open_model(const ModelPath& path, const OnnxOptions& options = {});
Result<ModelFile> open_model(const ModelPath& path, FileHashes& hashes,
                             const OnnxOptions& options = {});

// file_hash() of open_model's model: that of the bytes of its file, or files.
Result<ModelHash> hash_of_model(const ModelPath& path, FileHashes& hashes);

}  // namespace shingle
