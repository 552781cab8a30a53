// ModelStore: a worker's models, found by content hash.
//
// Plans name a model by its hash. That of a model which takes pictures differs from its file's
// (take_image makes it another function), so each file answers to one hash per head besides its
// own. A file is hashed once and again only when its size or time of change differs. A Darknet .cfg
// and its .weights are one model with one hash.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/model_file.hpp"
#include "partition/model.hpp"

namespace shingle {

class ModelStore {
 public:
  // Files, and folders whose *.onnx files count, and *.cfg with the .weights beside them. A
  // .weights right behind a .cfg belongs to that. Nothing is read before the first find().
  explicit ModelStore(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  // The model; what it is a view of lives as long. The sentence names the hash that is missing.
  Result<std::shared_ptr<const Model>> find(const ModelHash& hash);

 private:
  struct Stamp {
    uintmax_t bytes = 0;
    std::filesystem::file_time_type changed;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  using Stamps = std::array<Stamp, 2>;  // the model's, its weights'
  struct Known {
    Stamps stamps;
    ModelHash file_hash;
    std::vector<ModelHash> picture_hashes;  // by head, in the order of `heads`
  };
  std::vector<ModelPath> files() const;
  static std::optional<Stamps> stamps_of(const ModelPath& path);  // none: a file is not there
  void look_again();
  static Known index(const ModelPath& path);

  std::vector<std::string> paths_;
  std::map<ModelPath, Known> known_;
};

}  // namespace shingle
