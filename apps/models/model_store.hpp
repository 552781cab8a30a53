// ModelStore: a worker's models, found by the names that plans give them.
//
// A plan names a model by the hash of its file and, if needed, by the input sizes and the numbers
// for pictures (ModelName). So one hash of the file serves all of its variants; whether it is read
// as of another opset follows from the hash (opset_behind). A file is hashed
// once, and again only after it has changed (FileHashes). A Darknet .cfg and its .weights are one
// model with one hash.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "apps/models/model_file.hpp"
#include "partition/model/model.hpp"

namespace shingle {

class ModelStore {
 public:
  // `paths`: files and folders. Of a folder, all *.onnx files count, and all *.cfg with the
  // .weights beside them. A path of a .weights file belongs to the .cfg right before it. Nothing is
  // read before the first find(). `constant_bytes`: as in OnnxOptions.
  explicit ModelStore(std::vector<std::string> paths, FileHashes hashes = FileHashes{},
                      int64_t constant_bytes = 0)
      : paths_(std::move(paths)), hashes_(std::move(hashes)), constant_bytes_(constant_bytes) {}

  // From now on. Any thread.
  void look_in(std::vector<std::string> paths);

  std::vector<std::string> names() const;  // of the files that exist now, without their folders

  // The model with the hash name.hash; it keeps its files mapped. `name` may come from anybody. The
  // sentence names the missing file's hash, and a file that cannot be read.
  Result<std::shared_ptr<const Model>> find(const ModelName& name);

 private:
  std::vector<ModelPath> files() const;

  mutable std::mutex mutex_;  // of paths_
  std::vector<std::string> paths_;
  FileHashes hashes_;
  int64_t constant_bytes_;
};

}  // namespace shingle
