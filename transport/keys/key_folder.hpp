// KeyFolder: where a machine keeps keys.
//
//   keys/              0700
//     allowed          0644  the cluster's members: node and public key; the same on all machines
//     node-3.secret    0600  this machine's own pair; where keys are made, those of others as well
//
// Whoever may write the folder or the list decides who joins. So both must belong to the user or to
// root, and nobody else may write them; a secret must not be readable by others either. Root may
// also manage the folder of another user, such as the one of a service: the files belong to that
// user then.
#pragma once

#include <cassert>
#include <cstdint>
#include <string>

#include "transport/keys/keys.hpp"

namespace shingle {

class KeyFolder {
 public:
  // REQUIRES: a path that is not empty.
  explicit KeyFolder(std::string path) : path_(std::move(path)) { assert(!path_.empty()); }
  // Root manages it for its owner; for other users the same as KeyFolder(path).
  static KeyFolder for_owner(std::string path);
  const std::string& path() const { return path_; }
  std::string allowed_path() const { return path_ + "/allowed"; }
  std::string secret_path(NodeId node) const;

  // All sentences name the file and what to do, for example the chmod that takes rights away.
  Result<Allowed> allowed() const;
  Result<KeyPair> pair_of(NodeId node) const;

  bool exists() const;    // has a list
  Status create() const;  // the folder and an empty list, where there is none
  // Replaces the list atomically: a reader sees the old or the new one. Once this has returned, the
  // new list survives a power cut.
  Status save(const Allowed& allowed) const;
  // An error if the file is there. REQUIRES: both halves of `pair` are keys.
  Status save(NodeId node, const KeyPair& pair) const;
  Status forget(NodeId node) const;  // its secret, if it is here

  // $SHINGLE_KEYS, else shingle/keys below the user's configuration folder.
  static std::string usual_path();

 private:
  Status sync() const;
  uint32_t user() const;  // to whom the files must belong, unless it is root

  std::string path_;
  bool for_owner_ = false;
};

// What a node proves its identity with, and whose identity it accepts.
struct Credentials {
  NodeId node;
  KeyFolder folder;
  KeyPair pair;
  Allowed allowed;
};

// An error if the node must not use this list of the folder: its own key is not in it.
// REQUIRES: `own` is a key.
Status check_own_key(const Allowed& allowed, const KeyFolder& folder, NodeId node,
                     const PublicKey& own);

// The sentence says what is missing: the list, this node's key, or its place in the list.
Result<Credentials> credentials_of(NodeId node, const KeyFolder& folder);

}  // namespace shingle
