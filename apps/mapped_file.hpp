// MappedFile: a file's bytes as the kernel pages them in. A model's weights are views into them, so
// the mapping must outlive the model; it stays where it is when the object is moved.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "partition/result.hpp"

namespace shingle {

class MappedFile {
 public:
  // Maps a regular file read-only. The sentence names the file and the system's reason.
  static Result<MappedFile> open(const std::string& path);

  // Memory that reads as zeros wherever nothing is written: a file of which parts are known.
  static Result<MappedFile> sparse(
      size_t bytes, std::span<const std::pair<size_t, std::span<const std::byte>>> parts);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

  // Gives back the memory of some bytes of a mapped file; reading them brings them in again.
  static void let_go(std::span<const std::byte> bytes);

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

}  // namespace shingle
