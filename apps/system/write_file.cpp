#include "apps/system/write_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace shingle {
namespace {

Error cannot_write(const std::string& path, int reason) {
  return Error{"cannot write '" + path + "': " + std::strerror(reason)};
}

int write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return 0;
}

}  // namespace

Status write_file(const std::string& path, std::span<const std::byte> bytes) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return cannot_write(path, errno);
  int reason = write_all(descriptor, bytes);
  if (::close(descriptor) != 0 && reason == 0) reason = errno;
  if (reason != 0) return cannot_write(path, reason);
  return success();
}

Status make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return Error{"cannot make the folder '" + path + "': " + error.message()};
  return success();
}

}  // namespace shingle
