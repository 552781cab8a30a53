// Keys: the identity of a node, and whom it lets in. A node proves its identity with its CURVE key
// pair (Curve25519; RFC 26 of ZeroMQ); a cluster is a list of public keys, the same on every
// member.
//
// Keys are written in Z85 (RFC 32 of ZeroMQ): 40 characters for 32 bytes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "partition/base/ids.hpp"
#include "partition/base/result.hpp"

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
//
//   # a comment
//   members 2
//   1 rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7
//   7 Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID
//   end 477c922f
//
// The end line has the CRC-32C of what the lines between say, so that a list that was cut short or
// corrupted is not accepted. Lists of earlier versions have neither 'members' nor 'end'.
class Allowed {
 public:
  // The error names the line.
  static Result<Allowed> parse(std::string_view text);
  std::string text() const;  // that parse() takes, with an end line
  // False of a list that was read without an end line: some of it may be missing.
  bool has_end() const { return has_end_; }

  // False where another node has the key, or the node has one already. REQUIRES: a key.
  bool add(NodeId node, const PublicKey& key);
  bool remove(NodeId node);  // false where it is not there

  const PublicKey* key_of(NodeId node) const;
  std::optional<NodeId> node_of(const PublicKey& key) const;
  const std::map<NodeId, PublicKey>& keys() const { return keys_; }

 private:
  std::map<NodeId, PublicKey> keys_;
  bool has_end_ = true;
};

// The file "node-N.secret". REQUIRES: both halves of `pair` are keys.
std::string secret_text(NodeId node, const KeyPair& pair);
Result<KeyPair> parse_secret(std::string_view text);  // checks that both halves belong together

}  // namespace shingle
