#include "apps/system/file_below.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace shingle {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

std::vector<std::string> parts_of(const std::string& location) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= location.size();) {
    const size_t end = std::min(location.find('/', at), location.size());
    const std::string part = location.substr(at, end - at);
    if (!part.empty() && part != ".") parts.push_back(part);
    at = end + 1;
  }
  return parts;
}

bool is_link(int folder, const std::string& name) {
  struct stat info {};
  return ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
}

}  // namespace

Result<MappedFile> open_below(const std::string& folder, const std::string& location) {
  const std::string path = folder + "/" + location;
  const auto refusal = [&](const std::string& why) {
    return Error{"cannot read '" + path + "': " + why};
  };
  const std::vector<std::string> parts = parts_of(location);
  if (location.starts_with('/') || parts.empty())
    return refusal("it is not a file below that folder");
  Descriptor at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (at.number() < 0) return refusal(std::strerror(errno));
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == "..") return refusal("it leads out of the folder");
    const bool last = i + 1 == parts.size();
    const int flags = last ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY;
    Descriptor next(::openat(at.number(), parts[i].c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
    const int reason = errno;
    if (next.number() < 0 && is_link(at.number(), parts[i]))
      return refusal("it is, or lies behind, a symbolic link; put the file itself there");
    if (next.number() < 0) return refusal(std::strerror(reason));
    at = std::move(next);
  }
  return MappedFile::of(at.number(), path);
}

}  // namespace shingle
