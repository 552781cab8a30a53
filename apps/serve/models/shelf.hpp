// Shelf: models that peers sent, in a folder. A file is called by the hash of its bytes; the file
// "names" says which name means which hash. So a name that a peer made up is never part of a path.
//
//   FOLDER/9f86d0...f00a08.model      bytes of a model
//   FOLDER/names                      a line for each name: 64 digits, a blank, the name
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partition/base/hash.hpp"
#include "partition/base/result.hpp"

namespace shingle::serve {

struct ShelfLimits {
  uint64_t bytes_of_one = 64 << 20, bytes = 256 << 20;
  size_t names = 16;
};

class Shelf {
 public:
  // Makes the folder if it is missing, and reads what an earlier life left in it. Files without a
  // name, and names without a file of the right bytes, are left out.
  static Result<Shelf> open(const std::string& folder, const ShelfLimits& limits = {});

  const std::map<std::string, Hash>& names() const { return names_; }
  // Any text may be the name. Bytes that no name means any more are deleted. The sentence says
  // which limit was met.
  Result<Hash> put(const std::string& name, std::span<const std::byte> bytes);
  // Checked again by their hash. REQUIRES: a name means it.
  Result<std::vector<std::byte>> bytes(const Hash& hash) const;

 private:
  Shelf(std::string folder, const ShelfLimits& limits)
      : folder_(std::move(folder)), limits_(limits) {}
  std::optional<Hash> find(const std::string& name) const;
  std::string path_of(const Hash& hash) const;
  Status read_names();
  Status write_names() const;
  Status make_room(const std::string& name, const Hash& hash, uint64_t bytes) const;
  void drop(const Hash& hash);  // if no name means it

  std::string folder_;
  ShelfLimits limits_;
  std::map<std::string, Hash> names_;
  std::map<Hash, uint64_t> sizes_;
};

}  // namespace shingle::serve
