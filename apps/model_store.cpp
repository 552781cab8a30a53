#include "apps/model_store.hpp"

#include <algorithm>
#include <array>

#include "apps/head.hpp"
#include "apps/model_file.hpp"

namespace shingle {
namespace {

namespace fs = std::filesystem;
constexpr std::array heads{Head::raw, Head::yolox, Head::fastestdet};

std::shared_ptr<const Model> shared(ModelFile file) {
  const auto whole = std::make_shared<ModelFile>(std::move(file));
  return {whole, &whole->model};
}

Result<std::shared_ptr<const Model>> open_for_pictures(const std::string& path, Head head) {
  auto opened = open_model(path);
  if (!opened) return Error{opened.error()};
  const Status taken = take_picture(opened->model, head);
  if (!taken) return Error{taken.error()};
  return shared(std::move(*opened));
}

}  // namespace

std::vector<std::string> ModelStore::files() const {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const std::string& path : paths_) {
    if (!fs::is_directory(path, ignored)) found.push_back(path);
    for (const auto& entry : fs::directory_iterator(path, ignored))
      if (entry.path().extension() == ".onnx") found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

ModelStore::Known ModelStore::index(const std::string& path) {
  Known known;
  const auto file = MappedFile::open(path);
  if (!file) return known;
  known.file_hash = sha256(file->bytes());
  for (const Head head : heads) {
    const auto model = open_for_pictures(path, head);
    if (!model) break;  // not a model, or one that takes no picture: its own hash is all
    known.picture_hashes.push_back(model.value()->hash);
  }
  return known;
}

void ModelStore::look_again() {
  std::map<std::string, Known> now;
  for (const std::string& path : files()) {
    std::error_code error;
    const uintmax_t bytes = fs::file_size(path, error);
    const fs::file_time_type changed =
        error ? fs::file_time_type() : fs::last_write_time(path, error);
    if (error) continue;
    const auto before = known_.find(path);
    const bool same = before != known_.end() && before->second.bytes == bytes &&
                      before->second.changed == changed;
    Known known = same ? before->second : index(path);
    known.bytes = bytes;
    known.changed = changed;
    now.emplace(path, std::move(known));
  }
  known_ = std::move(now);
}

Result<std::shared_ptr<const Model>> ModelStore::find(const ModelHash& hash) {
  look_again();
  for (const auto& [path, known] : known_) {
    if (known.file_hash == hash) {
      auto opened = open_model(path);
      if (!opened) return Error{opened.error()};
      return shared(std::move(*opened));
    }
    for (size_t i = 0; i < known.picture_hashes.size(); ++i)
      if (known.picture_hashes[i] == hash) return open_for_pictures(path, heads[i]);
  }
  return Error{"no model with the hash " + to_string(hash) + " is among its " +
               std::to_string(known_.size()) + " model files"};
}

}  // namespace shingle
