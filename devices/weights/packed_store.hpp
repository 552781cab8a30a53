// PackedStore: weights in the layout of the kernels, stored in a folder, so that the next start
// maps them instead of packing them.
//
//   FOLDER/HASH.packed   "SHINGLE-PACKED-1" | bytes | sum of all words | 4096: the weights
//
// HASH covers all that the weights depend on: the model's content, the layer, its channels, and the
// layout of this machine's kernels. Several processes map one copy. Only this user can read the
// folder (0700). It holds at most `most_bytes`; the least recently used files are deleted first
// (times of use are exact to the hour). Compiled files are searched before the folder.
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

// Read-only bytes of a mapped file. Holds the mapping.
class MappedWeights {
 public:
  MappedWeights(MappedFile file, std::span<const std::byte> bytes)
      : file_(std::move(file)), bytes_(bytes) {}

  std::span<const std::byte> bytes() const { return bytes_; }
  // Results that were computed with the bytes are valid as long as its version does not change.
  const MappedFile& file() const { return file_; }

 private:
  MappedFile file_;
  std::span<const std::byte> bytes_;
};

class PackedStore {
 public:
  // Empty `folder`: nothing is found and nothing is stored.
  explicit PackedStore(std::string folder, int64_t most_bytes = int64_t{8} << 30);
  PackedStore(std::string folder, CompiledFiles compiled);

  // None if the weights were never stored, or are damaged, or have another length: then the caller
  // packs them again.
  std::optional<MappedWeights> find(const Hash& name, int64_t bytes) const;

  // All that the folder holds, by name.
  std::map<Hash, MappedWeights> all() const;

  // Tries to store the weights; true if it worked. An error, such as a full disk, only costs the
  // next start some time. Readers never see a partial file: it gets its name when all of it is
  // written.
  bool keep(const Hash& name, std::span<const std::byte> bytes) const;

 private:
  std::string path(const Hash& name) const;
  void make_room(int64_t bytes) const;

  std::string folder_;
  CompiledFiles compiled_{};
  int64_t most_bytes_;
};

}  // namespace shingle
