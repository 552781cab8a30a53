#include "devices/weights/packed_store.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

namespace shingle {

namespace {

namespace files = std::filesystem;

constexpr std::string_view magic = "SHINGLE-PACKED-1";
constexpr std::string_view ending = ".packed";
constexpr size_t payload_at = 4096;  // a page: the weights begin aligned

struct Header {
  std::array<char, 16> magic{};
  uint64_t bytes = 0, sum = 0;
};

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }

 private:
  int number_;
};

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

bool write_file(const std::string& path, std::span<const std::byte> bytes) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.open()) return false;
  std::array<std::byte, payload_at> page{};
  Header header{.magic = {}, .bytes = bytes.size(), .sum = word_sum(bytes)};
  std::copy(magic.begin(), magic.end(), header.magic.begin());
  std::memcpy(page.data(), &header, sizeof header);
  return write_all(file.number(), page) && write_all(file.number(), bytes);
}

bool is_whole(std::span<const std::byte> file) {
  Header header;
  std::memcpy(&header, file.data(), sizeof header);
  const std::span<const std::byte> weights = file.subspan(payload_at);
  return std::string_view(header.magic.data(), header.magic.size()) == magic &&
         header.bytes == weights.size() && header.sum == word_sum(weights);
}

// To the hour: a file's times are what its readers know it by, and with each note they look at all
// of it again.
void note_use(const std::string& path) {
  std::error_code failed;
  const auto now = files::file_time_type::clock::now(), used = files::last_write_time(path, failed);
  if (!failed && now - used >= std::chrono::hours(1)) files::last_write_time(path, now, failed);
}

}  // namespace

PackedStore::PackedStore(std::string folder, int64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

PackedStore::PackedStore(std::string folder, CompiledFiles compiled)
    : PackedStore(std::move(folder)) {
  compiled_ = std::move(compiled);
}

std::string PackedStore::path(const Hash& name) const {
  return folder_ + "/" + to_string(name) + std::string(ending);
}

std::optional<MappedWeights> PackedStore::find(const Hash& name, int64_t bytes) const {
  for (const std::shared_ptr<const CompiledFile>& file : compiled_) {
    const std::optional<std::span<const std::byte>> found = file->packed(name);
    if (found && std::cmp_equal(found->size(), bytes)) return MappedWeights(file->file(), *found);
  }
  if (folder_.empty()) return std::nullopt;
  const size_t size = payload_at + static_cast<size_t>(bytes);
  std::error_code none;
  if (files::file_size(path(name), none) != size || none) return std::nullopt;
  note_use(path(name));
  const auto file = MappedFile::open(path(name));
  if (!file || file->bytes().size() != size) return std::nullopt;
  auto* data = const_cast<std::byte*>(file->bytes().data());
  ::madvise(data, size, MADV_HUGEPAGE);
  ::madvise(data, size, MADV_WILLNEED);
  if (!is_whole(file->bytes())) return std::nullopt;
  file->know_again(is_whole);
  if (!file->version()) return std::nullopt;
  return MappedWeights(*file, file->bytes().subspan(payload_at));
}

std::map<Hash, MappedWeights> PackedStore::all() const {
  std::map<Hash, MappedWeights> found;
  std::error_code failed;
  for (const auto& entry : files::directory_iterator(folder_, failed)) {
    const std::optional<Hash> name = read_hash(entry.path().stem().string());
    const uintmax_t size = entry.file_size(failed);
    if (!name || failed || size < payload_at) continue;
    if (auto weights = find(*name, static_cast<int64_t>(size - payload_at)))
      found.emplace(*name, std::move(*weights));
  }
  return found;
}

bool PackedStore::keep(const Hash& name, std::span<const std::byte> bytes) const {
  if (folder_.empty() || std::cmp_greater(bytes.size(), most_bytes_)) return false;
  std::error_code ignored;
  if (files::create_directories(folder_, ignored)) {
    files::permissions(folder_, files::perms::owner_all, ignored);
  }
  make_room(static_cast<int64_t>(bytes.size()));
  const std::string written = path(name) + "." + std::to_string(::getpid()) + ".new";
  std::error_code failed;
  if (write_file(written, bytes)) {
    files::rename(written, path(name), failed);
    if (!failed) return true;
  }
  files::remove(written, ignored);
  return false;
}

void PackedStore::make_room(int64_t bytes) const {
  struct Kept {
    files::file_time_type used;
    files::path path;
    int64_t bytes;
  };
  std::vector<Kept> all;
  std::error_code failed;
  int64_t held = bytes;
  for (const auto& entry : files::directory_iterator(folder_, failed)) {
    if (!entry.path().string().ends_with(ending)) continue;
    all.push_back({entry.last_write_time(failed), entry.path(),
                   static_cast<int64_t>(entry.file_size(failed))});
    held += all.back().bytes;
  }
  std::sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) { return a.used < b.used; });
  for (size_t i = 0; i < all.size() && held > most_bytes_; ++i) {
    files::remove(all[i].path, failed);  // who has it mapped keeps it
    held -= all[i].bytes;
  }
}

}  // namespace shingle
