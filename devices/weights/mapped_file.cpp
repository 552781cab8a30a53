#include "devices/weights/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "devices/weights/torn_pages.hpp"

namespace shingle {
namespace {

Error cannot_read(const std::string& path, const char* why) {
  return Error{"cannot read '" + path + "': " + why};
}

Duration since_1970(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
}

FileIdentity identity_of(const struct stat& info) {
  return {.device = info.st_dev,
          .inode = info.st_ino,
          .bytes = info.st_size,
          .modified = since_1970(info.st_mtim),
          .changed = since_1970(info.st_ctim)};
}

// File systems stamp with the kernel's coarse clock, some of them whole seconds of it. Once that
// has gone on, another change bears another time. A clock that was set back is not waited for.
void wait_until_settled(const struct stat& info) {
  using std::chrono::milliseconds;
  const bool whole_seconds = info.st_ctim.tv_nsec == 0;
  const auto longest = whole_seconds ? milliseconds(2000) : milliseconds(20);
  for (milliseconds waited{}; waited < longest; ++waited) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    const Duration since = since_1970(now) - since_1970(info.st_ctim);
    if (since >= (whole_seconds ? std::chrono::seconds(2) : Duration(1))) return;
    std::this_thread::sleep_for(milliseconds(1));
  }
}

std::optional<struct stat> settled(int descriptor) {
  struct stat first {};
  struct stat second {};
  constexpr int looks = 3;  // at a file that somebody writes all the while
  for (int look = 0; look < looks; ++look) {
    if (::fstat(descriptor, &first) != 0) return std::nullopt;
    wait_until_settled(first);
    if (::fstat(descriptor, &second) != 0) return std::nullopt;
    if (identity_of(first) == identity_of(second)) return second;
  }
  errno = EBUSY;
  return std::nullopt;
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

// Closes on its way out.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
};

bool copy_all(int source, int target, int64_t bytes) {
  constexpr size_t at_once = size_t{64} << 20;
  for (off_t at = 0; at < bytes;) {
    const ssize_t copied = ::sendfile(target, source, &at, at_once);
    if (copied == 0) errno = EBUSY;  // it has become shorter
    if (copied <= 0) return false;
  }
  return true;
}

// Maps a copy in memory, which nobody can change any more.
Result<std::span<const std::byte>> map_copy(int descriptor, const struct stat& info,
                                            const std::string& path) {
  if (!S_ISREG(info.st_mode) || info.st_size == 0) return map(descriptor, info, path);  // the error
  const Descriptor copy(::memfd_create("shingle-model", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
  struct stat then {};
  if (copy.number() < 0 || !copy_all(descriptor, copy.number(), info.st_size) ||
      ::fcntl(copy.number(), F_ADD_SEALS, seals) != 0 || ::fstat(descriptor, &then) != 0)
    return cannot_read(path, std::strerror(errno));
  if (identity_of(then) != identity_of(info)) return cannot_read(path, std::strerror(EBUSY));
  return map(copy.number(), info, path);
}

}  // namespace

// Those that are mapped, by where they begin.
class MappedFile::Files {
 public:
  void add(const std::shared_ptr<Mapping>& mapping);
  void remove(const std::byte* begin) {
    const std::lock_guard lock(mutex_);
    files_.erase(begin);
  }
  // The last that begins there or before.
  std::shared_ptr<Mapping> before(const std::byte* at) {
    const std::lock_guard lock(mutex_);
    const auto next = files_.upper_bound(at);
    return next == files_.begin() ? nullptr : std::prev(next)->second.lock();
  }

 private:
  std::mutex mutex_;
  std::map<const std::byte*, std::weak_ptr<Mapping>> files_;
};

struct MappedFile::Mapping {
  Mapping(std::span<const std::byte> mapped, std::string file, int its_descriptor,
          const FileIdentity& as)
      : bytes(mapped), path(std::move(file)), descriptor(its_descriptor), opened(as), seen(as) {
    if (descriptor >= 0 && !bus_errors_are_left_alone()) pages.emplace(mapped);
  }
  ~Mapping() {
    all_files().remove(bytes.data());
    pages.reset();
    ::munmap(const_cast<std::byte*>(bytes.data()), bytes.size());
    if (descriptor >= 0) ::close(descriptor);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  static Files& all_files();
  bool torn() const { return pages && pages->torn(); }
  bool is_as_before() const { return know_again && know_again(bytes); }
  Error lose();
  bool take_new_identity();

  const std::span<const std::byte> bytes;
  const std::string path;
  const int descriptor;  // -1: no file's
  const FileIdentity opened;
  std::optional<TornPages> pages;
  std::function<bool(std::span<const std::byte>)> know_again;
  std::mutex mutex;
  FileIdentity seen;  // under mutex, as what follows
  uint64_t version = 0;
  bool lost = false;
};

void MappedFile::Files::add(const std::shared_ptr<Mapping>& mapping) {
  const std::lock_guard lock(mutex_);
  files_[mapping->bytes.data()] = mapping;
}

// Never destroyed: files may end after it.
MappedFile::Files& MappedFile::Mapping::all_files() {
  static auto* const files = new Files;
  return *files;
}

Error MappedFile::Mapping::lose() {
  lost = true;
  return Error{"'" + path +
               "' was changed in place while it was in use, and is not what it was when it was "
               "opened; write files anew and rename them"};
}

// What the file is like now, if its bytes are what they were and nobody was at them meanwhile.
bool MappedFile::Mapping::take_new_identity() {
  const std::optional<struct stat> first = settled(descriptor);
  if (!first || first->st_size != opened.bytes || !is_as_before()) return false;
  struct stat then {};
  if (::fstat(descriptor, &then) != 0 || identity_of(then) != identity_of(*first)) return false;
  seen = identity_of(then);
  ++version;
  return !torn();
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return cannot_read(path, std::strerror(errno));
  return take(descriptor, path);
}

Result<MappedFile> MappedFile::of(int descriptor, const std::string& path) {
  const int own = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return cannot_read(path, std::strerror(errno));
  return take(own, path);
}

Result<MappedFile> MappedFile::take(int descriptor, const std::string& path) {
  const std::optional<struct stat> info = settled(descriptor);
  if (!info) {
    const int reason = errno;
    ::close(descriptor);
    return cannot_read(path, std::strerror(reason));
  }
  const auto bytes = bus_errors_are_left_alone() ? map_copy(descriptor, *info, path)
                                                 : map(descriptor, *info, path);
  if (!bytes) {
    ::close(descriptor);
    return bytes.failure();
  }
  auto mapping = std::make_shared<Mapping>(*bytes, path, descriptor, identity_of(*info));
  if (mapping->pages && !mapping->pages->guarded())
    return cannot_read(path, "too many files are mapped already");
  Mapping::all_files().add(mapping);
  return MappedFile(std::move(mapping));
}

Result<MappedFile> MappedFile::sparse(
    size_t bytes, std::span<const std::pair<size_t, std::span<const std::byte>>> parts) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED)
    return Error{"there is no room to map a file of " + std::to_string(bytes) +
                 " bytes: " + std::strerror(errno) + "; stop other programs, or raise 'ulimit -v'"};
  const std::span<const std::byte> all(static_cast<const std::byte*>(data), bytes);
  auto mapping = std::make_shared<Mapping>(all, std::string{}, -1, FileIdentity{});
  for (const auto& [at, part] : parts) {
    if (at > bytes || part.size() > bytes - at)
      return Error{"a part of the file lies past its end, which is at byte " +
                   std::to_string(bytes) + "; make the file again"};
    std::memcpy(static_cast<std::byte*>(data) + at, part.data(), part.size());
  }
  return MappedFile(std::move(mapping));
}

Result<std::string> MappedFile::text_of(const std::string& path) {
  const auto file = open(path);
  if (!file) return file.failure();
  std::string text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  if (const auto version = file->version(); !version) return version.failure();
  return text;
}

std::optional<MappedFile> MappedFile::around(const std::byte* at) {
  std::shared_ptr<Mapping> mapping = Mapping::all_files().before(at);
  if (mapping == nullptr || !MappedFile(mapping).holds(at)) return std::nullopt;
  return MappedFile(std::move(mapping));
}

std::span<const std::byte> MappedFile::bytes() const { return mapping_->bytes; }

const FileIdentity& MappedFile::identity() const { return mapping_->opened; }

const std::string& MappedFile::path() const { return mapping_->path; }

void MappedFile::know_again(std::function<bool(std::span<const std::byte>)> is_as_before) const {
  mapping_->know_again = std::move(is_as_before);
}

Result<uint64_t> MappedFile::version() const {
  Mapping& mapping = *mapping_;
  if (mapping.descriptor < 0) return uint64_t{0};
  const std::lock_guard lock(mapping.mutex);
  if (mapping.lost || mapping.torn()) return mapping.lose();
  struct stat info {};
  if (::fstat(mapping.descriptor, &info) != 0) return mapping.lose();
  if (identity_of(info) == mapping.seen) return mapping.version;
  if (!mapping.take_new_identity()) return mapping.lose();
  return mapping.version;
}

void MappedFile::release_pages(std::span<const std::byte> bytes) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uintptr_t>(bytes.data()) / page * page;
  const auto end = reinterpret_cast<uintptr_t>(bytes.data()) + bytes.size();
  ::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

}  // namespace shingle
