#include "apps/drone/results/unused_folder.hpp"

#include <filesystem>

namespace shingle::drone {

UnusedFolder::~UnusedFolder() {
  std::error_code ignored;  // what cannot be removed stays
  for (const std::string& name : files_) std::filesystem::remove(folder_ + "/" + name, ignored);
  if (is_new_) std::filesystem::remove(folder_, ignored);  // only if it is empty
}

}  // namespace shingle::drone
