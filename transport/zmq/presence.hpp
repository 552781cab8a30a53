// Presence: who is connected, for whoever waits at start-up. Thread-safe.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "partition/base/result.hpp"
#include "transport/zmq/zmq_transport.hpp"

namespace shingle {

class Presence {
 public:
  explicit Presence(NodeId self) : self_(self) {}

  // `about`: what it said of itself.
  void up(NodeId peer, std::string about);
  // `trouble`: why there is no connection.
  void down(NodeId peer, std::string trouble);

  // Of a peer that is connected; none of others.
  std::optional<std::string> about(NodeId peer) const;

  Status wait_for(const std::vector<PeerAddress>& peers, Duration deadline) const;

 private:
  struct Entry {
    bool up = false;
    std::string trouble, about;
  };
  bool all_up(const std::vector<PeerAddress>& peers) const;
  std::string absence(const PeerAddress& peer) const;

  const NodeId self_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::map<NodeId, Entry> entries_;
};

}  // namespace shingle
