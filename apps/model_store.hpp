// ModelStore: a worker's models, found by content hash.
//
// Plans name a model by its hash. That of a model which takes pictures differs from its file's
// (take_image makes it another function), so each file answers to one hash per head besides its
// own. A file is hashed once and again only when its size or time of change differs.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "partition/model.hpp"

namespace shingle {

class ModelStore {
 public:
  // Files, and folders whose *.onnx files count. Nothing is read before the first find().
  explicit ModelStore(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  // The model; what it is a view of lives as long. The sentence names the hash that is missing.
  Result<std::shared_ptr<const Model>> find(const ModelHash& hash);

 private:
  struct Known {
    uintmax_t bytes = 0;
    std::filesystem::file_time_type changed;
    ModelHash file_hash;
    std::vector<ModelHash> picture_hashes;  // by head, in the order of `heads`
  };
  std::vector<std::string> files() const;
  void look_again();
  static Known index(const std::string& path);

  std::vector<std::string> paths_;
  std::map<std::string, Known> known_;
};

}  // namespace shingle
