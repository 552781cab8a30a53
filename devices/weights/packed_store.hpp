// PackedStore: weights as kernels read them, kept in a folder for the next start and mapped then.
//
//   FOLDER/HASH.packed   "SHINGLE-PACKED-1" | bytes | sum of all words | 4096: the weights
//
// HASH names what they were made from: the model's content, the layer, its channels, and how this
// machine's kernels lay weights out. Several processes map one copy. The folder is this user's own
// (0700) and holds at most `most_bytes`: the files that were used longest ago go first, to the
// hour. Compiled files are looked into before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "devices/weights/compiled_file.hpp"
#include "devices/weights/mapped_file.hpp"

namespace shingle {

// Read-only bytes of a mapped file, which stays as long as they.
class MappedWeights {
 public:
  MappedWeights(MappedFile file, std::span<const std::byte> bytes)
      : file_(std::move(file)), bytes_(bytes) {}

  std::span<const std::byte> bytes() const { return bytes_; }
  // What was computed with them counts while its version says so.
  const MappedFile& file() const { return file_; }

 private:
  MappedFile file_;
  std::span<const std::byte> bytes_;
};

class PackedStore {
 public:
  // An empty folder: nothing is found and nothing kept.
  explicit PackedStore(std::string folder, int64_t most_bytes = int64_t{8} << 30);
  PackedStore(std::string folder, CompiledFiles compiled);

  // None where it was never kept, or is not whole, or not of this length: then it is packed again.
  std::optional<MappedWeights> find(const Hash& name, int64_t bytes) const;

  // All that the folder holds, by name.
  std::map<Hash, MappedWeights> all() const;

  // As well as may be: a full disk costs the next start its time and nothing else. What a reader
  // finds is whole: the file gets its name when all of it is written.
  // Whether it is kept.
  bool keep(const Hash& name, std::span<const std::byte> bytes) const;

 private:
  std::string path(const Hash& name) const;
  void make_room(int64_t bytes) const;

  std::string folder_;
  CompiledFiles compiled_{};
  int64_t most_bytes_;
};

}  // namespace shingle
