// A folder with the keys of a few nodes, gone with the test.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "transport/keys/key_folder.hpp"

namespace shingle::testing {

class KeyScene {
 public:
  explicit KeyScene(const std::vector<uint32_t>& nodes) {
    std::string name = (std::filesystem::temp_directory_path() / "shingle-keys-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
    Allowed allowed;
    for (const uint32_t node : nodes) {
      const KeyPair pair = new_key_pair();
      REQUIRE(allowed.add({node}, pair.open));
      REQUIRE(folder().save({node}, pair).ok());
    }
    REQUIRE(folder().save(allowed).ok());
  }
  ~KeyScene() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  KeyScene(const KeyScene&) = delete;
  KeyScene& operator=(const KeyScene&) = delete;

  const std::string& path() const { return path_; }
  KeyFolder folder() const { return KeyFolder(path_); }

  void revoke(NodeId node) const {
    Allowed allowed = folder().allowed().value();
    REQUIRE(allowed.remove(node));
    REQUIRE(folder().save(allowed).ok());
  }
  void allow(NodeId node, const PublicKey& key) const {
    Allowed allowed = folder().allowed().value();
    REQUIRE(allowed.add(node, key));
    REQUIRE(folder().save(allowed).ok());
  }

 private:
  std::string path_;
};

}  // namespace shingle::testing
