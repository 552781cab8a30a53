// ModelStore: a worker's models, found by what a plan calls them.
//
// Plans name a function: that of a file, or that of a file which takes pictures with the numbers
// and sizes that the plan says (ModelName). So a file is known by one hash, whatever is asked of
// it. It is hashed once and again only when it has changed (FileHashes). A Darknet .cfg and its
// .weights are one model with one hash.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/models/model_file.hpp"
#include "partition/model/model.hpp"

namespace shingle {

class ModelStore {
 public:
  // Files, and folders whose *.onnx files count, and *.cfg with the .weights beside them. A
  // .weights right behind a .cfg belongs to that. Nothing is read before the first find().
  // `constant_bytes` is what reading an ONNX file may compute (OnnxOptions).
  explicit ModelStore(std::vector<std::string> paths, FileHashes hashes = FileHashes{},
                      int64_t constant_bytes = 0)
      : paths_(std::move(paths)), hashes_(std::move(hashes)), constant_bytes_(constant_bytes) {}

  std::vector<std::string> names() const;  // of the files that are there now, without folders

  // The model, whose hash is name.hash; what it is a view of lives as long. `name` may come from
  // anybody. The sentence names the file's hash that is missing, and a file that cannot be read.
  Result<std::shared_ptr<const Model>> find(const ModelName& name);

 private:
  std::vector<ModelPath> files() const;

  std::vector<std::string> paths_;
  FileHashes hashes_;
  int64_t constant_bytes_;
};

}  // namespace shingle
