#include "apps/drone/results/append_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

namespace shingle::drone {
namespace {

Error cannot_write(const std::string& path, int reason) {
  return Error{"cannot write '" + path + "': " + std::strerror(reason)};
}

}  // namespace

Result<AppendFile> AppendFile::make(const std::string& path) {
  const int descriptor =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) return cannot_write(path, errno);
  return AppendFile(path, descriptor);
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

AppendFile::~AppendFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status AppendFile::append(std::string_view text) {
  assert(descriptor_ >= 0);
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno != EINTR) return cannot_write(path_, errno);
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
  return success();
}

Status AppendFile::sync() {
  assert(descriptor_ >= 0);
  // EINVAL: a pipe or a device, which has no disk to wait for.
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL) return cannot_write(path_, errno);
  return success();
}

Status sync_folder(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 && errno == EACCES)
    return success();  // files in it may be written all the same
  if (descriptor < 0) return cannot_write(path, errno);
  // EINVAL: a file system that cannot sync folders.
  const int reason = ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  ::close(descriptor);
  if (reason != 0) return cannot_write(path, reason);
  return success();
}

}  // namespace shingle::drone
