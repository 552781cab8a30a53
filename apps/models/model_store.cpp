#include "apps/models/model_store.hpp"

#include <algorithm>
#include <filesystem>

#include "apps/models/take_picture.hpp"

namespace shingle {
namespace {

namespace fs = std::filesystem;

// The sizes and numbers come from a peer: they may not fit the model, or may not belong to the
// hash.
Result<std::shared_ptr<const Model>> open_as(const ModelPath& path, const ModelName& name,
                                             FileHashes& hashes, OnnxOptions options) {
  if (name.sized) options.shapes = name.sized->shapes;
  auto opened = open_model(path, hashes, options);
  if (!opened) return Error{opened.error()};
  const auto whole = std::make_shared<ModelFile>(std::move(*opened));
  if (name.image)
    if (const Status taken = take_picture(whole->model, *name.image); !taken)
      return Error{"the plan's mean and deviation do not fit '" + path.path +
                   "': " + taken.error()};
  if (whole->model.hash != name.hash)
    return Error{"with the plan's sizes, mean and deviation '" + path.path +
                 "' is another model than " + to_string(name.hash)};
  return std::shared_ptr<const Model>(whole, &whole->model);
}

// " (a.onnx, b.onnx)"; only the first few of many.
std::string listed(const std::vector<std::string>& names) {
  constexpr size_t most = 4;
  std::string list;
  for (size_t i = 0; i < std::min(most, names.size()); ++i) list += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) list += ", and " + std::to_string(names.size() - most) + " more";
  return list.empty() ? "" : " (" + list + ")";
}

}  // namespace

void ModelStore::look_in(std::vector<std::string> paths) {
  const std::lock_guard lock(mutex_);
  paths_ = std::move(paths);
}

std::vector<ModelPath> ModelStore::files() const {
  std::unique_lock lock(mutex_);
  const std::vector<std::string> paths = paths_;
  lock.unlock();
  std::vector<ModelPath> found;
  std::error_code ignored;
  bool behind_cfg = false;  // the previous path is a .cfg, the last of `found`
  for (const std::string& path : paths) {
    if (behind_cfg && path.ends_with(".weights")) {
      found.back().weights = path;
      behind_cfg = false;
      continue;
    }
    const bool folder = fs::is_directory(path, ignored);
    behind_cfg = !folder && path.ends_with(".cfg");
    if (!folder) found.emplace_back(path);
    for (const auto& entry : fs::directory_iterator(path, ignored)) {
      const std::string ending = entry.path().extension().string();
      if (ending == ".onnx" || ending == ".cfg") found.emplace_back(entry.path().string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> ModelStore::names() const {
  std::vector<std::string> found;
  for (const ModelPath& path : files()) found.push_back(fs::path(path.path).filename().string());
  return found;
}

Result<std::shared_ptr<const Model>> ModelStore::find(const ModelName& name) {
  const ModelHash wanted = file_hash(name);
  std::vector<std::string> others;
  std::string unread, unfit;
  for (const ModelPath& path : files()) {
    const auto hash = hash_of_model(path, hashes_);
    if (!hash && unread.empty()) unread = "; " + hash.error();
    if (!hash) continue;
    const std::optional<int64_t> opset = opset_behind(wanted, *hash);
    if (!opset) {
      others.push_back(fs::path(path.path).filename().string());
      continue;
    }
    auto model = open_as(path, name, hashes_, {.constant_bytes = constant_bytes_, .opset = *opset});
    if (model) return model;
    if (unfit.empty()) unfit = model.error();  // a compiled file of the same hash may still fit
  }
  if (!unfit.empty()) return Error{unfit};
  return Error{"no model with the hash " + to_string(wanted) + " is among its model files" +
               listed(others) + unread};
}

}  // namespace shingle
