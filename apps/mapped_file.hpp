// MappedFile: a file's bytes as the kernel pages them in. A model's weights are views into them, so
// the mapping must outlive the model; it stays where it is when the object is moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "partition/result.hpp"

namespace shingle {

// Which file was mapped, and as of when: all zero for memory that is no file's.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  int64_t bytes = 0, modified_ns = 0, changed_ns = 0;  // times since 1970
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

class MappedFile {
 public:
  // Maps a regular file read-only. The sentence names the file and the system's reason.
  static Result<MappedFile> open(const std::string& path);

  // The same of a file that is open for reading, and stays it; `path` is what the sentence names.
  static Result<MappedFile> of(int descriptor, const std::string& path);

  // Memory that reads as zeros wherever nothing is written: a file of which parts are known.
  static Result<MappedFile> sparse(
      size_t bytes, std::span<const std::pair<size_t, std::span<const std::byte>>> parts);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  const FileIdentity& identity() const { return identity_; }

  // Gives back the memory of some bytes of a mapped file; reading them brings them in again.
  static void let_go(std::span<const std::byte> bytes);

 private:
  explicit MappedFile(std::span<const std::byte> bytes, FileIdentity identity = {})
      : bytes_(bytes), identity_(identity) {}
  std::span<const std::byte> bytes_;
  FileIdentity identity_;
};

}  // namespace shingle
