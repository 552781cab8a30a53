#include "apps/model_store.hpp"

#include <algorithm>
#include <array>

#include "apps/head.hpp"

namespace shingle {
namespace {

namespace fs = std::filesystem;
constexpr std::array heads{Head::raw, Head::yolox, Head::fastestdet};

std::shared_ptr<const Model> shared(ModelFile file) {
  const auto whole = std::make_shared<ModelFile>(std::move(file));
  return {whole, &whole->model};
}

Result<std::shared_ptr<const Model>> open_for_pictures(const ModelPath& path, Head head) {
  auto opened = open_model(path);
  if (!opened) return Error{opened.error()};
  const Status taken = take_picture(opened->model, head);
  if (!taken) return Error{taken.error()};
  return shared(std::move(*opened));
}

}  // namespace

std::vector<ModelPath> ModelStore::files() const {
  std::vector<ModelPath> found;
  std::error_code ignored;
  for (size_t i = 0; i < paths_.size(); ++i) {
    const std::string& path = paths_[i];
    if (i > 0 && path.ends_with(".weights") && paths_[i - 1].ends_with(".cfg")) {
      found.back().weights = path;
      continue;
    }
    if (!fs::is_directory(path, ignored)) found.emplace_back(path);
    for (const auto& entry : fs::directory_iterator(path, ignored)) {
      const std::string ending = entry.path().extension().string();
      if (ending == ".onnx" || ending == ".cfg") found.emplace_back(entry.path().string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<ModelStore::Stamps> ModelStore::stamps_of(const ModelPath& path) {
  Stamps stamps;
  std::error_code error;
  for (size_t i = 0; i < stamps.size(); ++i) {
    const std::string& file = i == 0 ? path.path : path.weights;
    if (file.empty()) continue;
    stamps[i].bytes = fs::file_size(file, error);
    if (error) return std::nullopt;
    stamps[i].changed = fs::last_write_time(file, error);
    if (error) return std::nullopt;
  }
  return stamps;
}

ModelStore::Known ModelStore::index(const ModelPath& path) {
  Known known;
  const auto hash = hash_of_model(path);
  if (!hash) return known;
  known.file_hash = *hash;
  for (const Head head : heads) {
    const auto model = open_for_pictures(path, head);
    if (!model) break;  // not a model, or one that takes no picture: its own hash is all
    known.picture_hashes.push_back(model.value()->hash);
  }
  return known;
}

void ModelStore::look_again() {
  std::map<ModelPath, Known> now;
  for (const ModelPath& path : files()) {
    const auto stamps = stamps_of(path);
    if (!stamps) continue;
    const auto before = known_.find(path);
    const bool same = before != known_.end() && before->second.stamps == *stamps;
    Known known = same ? before->second : index(path);
    known.stamps = *stamps;
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
