// RefinedProfile: the file of a device profile that a node refines while it runs.
#pragma once

#include <memory>
#include <string>

#include "devices/files/profile_file.hpp"
#include "devices/measure/profile_refine.hpp"

namespace shingle {

class RefinedProfile {
 public:
  // Reads the file, which `shingle profile --out` made. The sentence names it.
  static Result<std::unique_ptr<RefinedProfile>> open(const std::string& path);

  // Computes as `executor` does, and measures its tiles. This must outlive it.
  std::unique_ptr<Executor> watched(std::unique_ptr<Executor> executor);
  // Writes the refined profile to the file, if any tile was computed.
  Status save() const;

 private:
  RefinedProfile(std::string path, DeviceProfile profile)
      : path_(std::move(path)), profile_(std::move(profile)), refiner_(profile_.costs) {}

  const std::string path_;
  const DeviceProfile profile_;
  ProfileRefiner refiner_;
};

}  // namespace shingle
