#include "apps/node/refined_profile.hpp"

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
  return write_file(path_, std::as_bytes(std::span(text)));
}

}  // namespace shingle
