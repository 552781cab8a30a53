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

// EINVAL: the file system cannot sync.
int sync_now(int descriptor) { return ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno; }

enum class Lasting : uint8_t { no, yes };

Status write(const std::string& path, std::span<const std::byte> bytes, Lasting lasting) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return cannot_write(path, errno);
  int reason = write_all(descriptor, bytes);
  if (reason == 0 && lasting == Lasting::yes) reason = sync_now(descriptor);
  if (::close(descriptor) != 0 && reason == 0) reason = errno;
  return reason == 0 ? success() : Status(cannot_write(path, reason));
}

}  // namespace

Status write_file(const std::string& path, std::span<const std::byte> bytes) {
  return write(path, bytes, Lasting::no);
}

Status replace_file(const std::string& path, std::span<const std::byte> bytes) {
  const std::string fresh = path + ".new";
  if (const Status written = write(fresh, bytes, Lasting::yes); !written) return written;
  if (::rename(fresh.c_str(), path.c_str()) != 0) return cannot_write(path, errno);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == EACCES)
    return success();  // files in it may be written all the same
  if (descriptor < 0) return cannot_write(path, errno);
  const int reason = sync_now(descriptor);
  ::close(descriptor);
  return reason == 0 ? success() : Status(cannot_write(path, reason));
}

Status make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return Error{"cannot make the folder '" + path + "': " + error.message()};
  return success();
}

}  // namespace shingle
