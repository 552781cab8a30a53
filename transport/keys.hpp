// Keys: who a node is, and whom it lets in. A node is its CURVE key pair (Curve25519; RFC 26 of
// ZeroMQ); a cluster is a list of public keys, the same on every member.
//
// Keys are written in Z85 (RFC 32 of ZeroMQ): 40 characters for 32 bytes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "partition/ids.hpp"
#include "partition/result.hpp"

namespace shingle {

inline constexpr size_t key_letters = 40;

struct PublicKey {
  std::string z85;
  friend bool operator==(const PublicKey&, const PublicKey&) = default;
};

struct KeyPair {
  PublicKey open;
  std::string secret;  // Z85
};

KeyPair new_key_pair();  // from the system's random numbers

bool is_key(std::string_view text);  // 40 letters of Z85

// The members of a cluster. Each key is one node's.
class Allowed {
 public:
  // The file "allowed": lines of a node's id and its key; one that begins with '#' is a comment.
  // The sentence names the line.
  static Result<Allowed> parse(std::string_view text);
  std::string text() const;  // that parse() takes

  // False where another node has the key, or the node one already.
  bool add(NodeId node, const PublicKey& key);
  bool remove(NodeId node);  // false where it is not there

  const PublicKey* key_of(NodeId node) const;
  std::optional<NodeId> node_of(const PublicKey& key) const;
  const std::map<NodeId, PublicKey>& keys() const { return keys_; }

 private:
  std::map<NodeId, PublicKey> keys_;
};

// The file "node-N.secret".
std::string secret_text(NodeId node, const KeyPair& pair);
Result<KeyPair> parse_secret(std::string_view text);  // checks that both halves belong together

}  // namespace shingle
