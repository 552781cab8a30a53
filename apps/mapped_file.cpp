#include "apps/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace shingle {
namespace {

Error cannot_read(const std::string& path, const char* why) {
  return Error{"cannot read '" + path + "': " + why};
}

int64_t nanoseconds(const timespec& time) {
  return int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

FileIdentity identity_of(const struct stat& info) {
  return {.device = info.st_dev,
          .inode = info.st_ino,
          .bytes = info.st_size,
          .modified_ns = nanoseconds(info.st_mtim),
          .changed_ns = nanoseconds(info.st_ctim)};
}

Result<std::span<const std::byte>> map(int descriptor, const struct stat& info,
                                       const std::string& path) {
  if (S_ISDIR(info.st_mode)) return cannot_read(path, "it is a folder");
  if (!S_ISREG(info.st_mode)) return cannot_read(path, "it is not a regular file");
  if (info.st_size == 0) return cannot_read(path, "the file is empty");
  const size_t size = static_cast<size_t>(info.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED) return cannot_read(path, std::strerror(errno));
  return std::span<const std::byte>(static_cast<const std::byte*>(data), size);
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return cannot_read(path, std::strerror(errno));
  auto mapped = of(descriptor, path);
  ::close(descriptor);
  return mapped;
}

Result<MappedFile> MappedFile::of(int descriptor, const std::string& path) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return cannot_read(path, std::strerror(errno));
  const auto bytes = map(descriptor, info, path);
  if (!bytes) return Error{bytes.error()};
  return MappedFile(*bytes, identity_of(info));
}

Result<MappedFile> MappedFile::sparse(
    size_t bytes, std::span<const std::pair<size_t, std::span<const std::byte>>> parts) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return Error{std::string("no address space: ") + std::strerror(errno)};
  for (const auto& [at, part] : parts) {
    if (at > bytes || part.size() > bytes - at) {
      ::munmap(data, bytes);
      return Error{"a part of it lies behind its end"};
    }
    std::memcpy(static_cast<std::byte*>(data) + at, part.data(), part.size());
  }
  return MappedFile({static_cast<const std::byte*>(data), bytes});
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), identity_(other.identity_) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(identity_, other.identity_);
  return *this;
}

void MappedFile::let_go(std::span<const std::byte> bytes) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uintptr_t>(bytes.data()) / page * page;
  const auto end = reinterpret_cast<uintptr_t>(bytes.data()) + bytes.size();
  ::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace shingle
