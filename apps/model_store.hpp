// ModelStore: a worker's models, found by what a plan calls them.
//
// Plans name a function: that of a file, or that of a file which takes pictures with the numbers
// that the plan says (ModelName). So a file is known by one hash, whatever is asked of it. It is
// hashed once and again only when its size or time of change differs. A Darknet .cfg and its
// .weights are one model with one hash.
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

  std::vector<std::string> names() const;  // of the files that are there now, without folders

  // The model, whose hash is name.hash; what it is a view of lives as long. `name` may come from
  // anybody. The sentence names the file's hash that is missing.
  Result<std::shared_ptr<const Model>> find(const ModelName& name);

 private:
  struct Stamp {
    uintmax_t bytes = 0;
    std::filesystem::file_time_type changed;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  using Stamps = std::array<Stamp, 2>;  // the model's, its weights'
  struct Known {
    Stamps stamps;
    ModelHash hash;
  };
  std::vector<ModelPath> files() const;
  static std::optional<Stamps> stamps_of(const ModelPath& path);  // none: a file is not there
  void look_again();

  std::vector<std::string> paths_;
  std::map<ModelPath, Known> known_;
};

}  // namespace shingle
