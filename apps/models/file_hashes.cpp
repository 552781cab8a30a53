#include "apps/models/file_hashes.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/system/write_file.hpp"

namespace shingle {
namespace {

constexpr std::string_view header = "shingle file hashes 1";
constexpr size_t most_entries = 256;  // the newest stay

Duration since_1970() {
  return std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch());
}

}  // namespace

FileHashes::FileHashes(std::string path, std::chrono::nanoseconds settled)
    : path_(std::move(path)), settled_(settled), entries_(read()) {}

Hash FileHashes::of(const MappedFile& file) {
  const auto same = [&](const Entry& entry) { return entry.file == file.identity(); };
  const auto known = std::find_if(entries_.begin(), entries_.end(), same);
  if (known != entries_.end()) return known->hash;
  const Duration since =
      std::chrono::abs(since_1970() - file.identity().changed);  // a clock may have been set back
  const Entry entry{sha256(file.bytes()), file.identity()};
  const auto version = file.version();  // 0: the file did not change while it was hashed
  if (since >= settled_ && version && *version == 0) remember(entry);
  return entry.hash;
}

// Best effort: if the file cannot be written, the next start hashes again. Reads it first, because
// another process may have written it meanwhile.
void FileHashes::remember(const Entry& entry) {
  std::vector<Entry> all = read();
  for (const Entry& own : entries_)
    if (std::find(all.begin(), all.end(), own) == all.end()) all.push_back(own);
  if (std::find(all.begin(), all.end(), entry) == all.end()) all.push_back(entry);
  entries_ = std::move(all);
  if (entries_.size() > most_entries)
    entries_.erase(entries_.begin(), entries_.end() - most_entries);
  if (path_.empty()) return;
  std::ostringstream text;
  text << header << "\n";
  for (const auto& [hash, file] : entries_)
    text << to_string(hash) << " " << file.device << " " << file.inode << " " << file.bytes << " "
         << file.modified.count() << " " << file.changed.count() << "\n";
  const std::string whole = text.str(), written = path_ + "." + std::to_string(::getpid());
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (std::filesystem::create_directories(folder, ignored))
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, ignored);
  if (write_file(written, std::as_bytes(std::span(whole))))
    std::filesystem::rename(written, path_, ignored);
  std::filesystem::remove(written, ignored);
}

// A file with another header counts as empty; reading ends at the first line that is not complete.
std::vector<FileHashes::Entry> FileHashes::read() const {
  std::vector<Entry> found;
  std::ifstream in(path_);
  std::string line;
  if (!std::getline(in, line) || line != header) return found;
  while (found.size() < most_entries && std::getline(in, line)) {
    std::istringstream words(line);
    std::string hash;
    FileIdentity file;
    int64_t modified_ns = 0, changed_ns = 0;
    words >> hash >> file.device >> file.inode >> file.bytes >> modified_ns >> changed_ns;
    file.modified = Duration(modified_ns);
    file.changed = Duration(changed_ns);
    const auto read = read_hash(hash);
    if (!words || !read) break;
    found.push_back({*read, file});
  }
  return found;
}

Hash known_as(const MappedFile& file, FileHashes& hashes) {
  const Hash hash = hashes.of(file);
  file.know_again([hash](std::span<const std::byte> bytes) { return sha256(bytes) == hash; });
  return hash;
}

Status was_steady(const MappedFile& file) {
  const auto version = file.version();
  if (!version) return Error{version.error()};
  if (*version != 0)
    return Error{"'" + file.path() +
                 "' was written to while it was read; stop the program that writes it"};
  return success();
}

std::string hashes_file(const std::string& packed_folder) {
  return packed_folder.empty() ? "" : packed_folder + "/files.txt";
}

}  // namespace shingle
