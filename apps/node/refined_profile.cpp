#include "apps/node/refined_profile.hpp"

#include <unistd.h>

#include <filesystem>

#include "apps/system/write_file.hpp"

namespace shingle {

Result<std::unique_ptr<RefinedProfile>> RefinedProfile::open(const std::string& path) {
  auto profile = load_profile(path);
  if (!profile) return Error{profile.error() + "; 'shingle profile --out' makes one"};
  return std::unique_ptr<RefinedProfile>(new RefinedProfile(path, std::move(*profile)));
}

std::unique_ptr<Executor> RefinedProfile::watched(std::unique_ptr<Executor> executor) {
  return std::make_unique<WatchedExecutor>(std::move(executor), refiner_);
}

Status RefinedProfile::save() const {
  if (refiner_.tiles() == 0) return success();
  DeviceProfile refined = profile_;
  refined.costs = refiner_.profile();
  const std::string text = print(refined);
  const auto bytes = std::as_bytes(std::span(text));
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  // The node may have the right to write the file but not its folder.
  const bool may_replace = ::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
  if (!may_replace) return write_file(path_, bytes);
  Status replaced = replace_file(path_, bytes);
  const std::string draft = path_ + ".new";
  std::error_code none;
  if (replaced || std::filesystem::file_size(draft, none) != bytes.size() || none) return replaced;
  // The new file is complete, so only its renaming failed: a file that is mounted into a container
  // cannot be replaced.
  const Status written = write_file(path_, bytes);
  std::filesystem::remove(draft, none);
  return written;
}

}  // namespace shingle
