#include "apps/system/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace shingle {

Result<TemporaryFolder> TemporaryFolder::make() {
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "shingle-XXXXXX").string();
  if (error || ::mkdtemp(path.data()) == nullptr)
    return Error{"cannot make a temporary folder: " +
                 (error ? error.message() : std::string(std::strerror(errno)))};
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace shingle
