// Presence: which peers are connected, and what each of them said about itself. Written by the
// sockets' thread, read by any. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "partition/base/ids.hpp"

namespace shingle {

class Presence {
 public:
  // `about`: what the peer said about itself in its greeting.
  void up(NodeId peer, std::string about);
  void down(NodeId peer);  // nothing happens if it is not up

  // Of a peer that is connected; none of others.
  std::optional<std::string> about(NodeId peer) const;

  // Packets that TCP has sent again to the peer since its connection began.
  void sent_again(NodeId peer, uint64_t packets);
  std::map<NodeId, uint64_t> sent_again() const;

 private:
  mutable std::mutex mutex_;
  std::map<NodeId, std::string> about_;  // of the peers that are connected
  std::map<NodeId, uint64_t> sent_again_;
};

}  // namespace shingle
