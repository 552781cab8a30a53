#include "transport/zmq/presence.hpp"

#include <utility>

namespace shingle {

void Presence::up(NodeId peer, std::string about) {
  const std::lock_guard lock(mutex_);
  about_[peer] = std::move(about);
}

void Presence::down(NodeId peer) {
  const std::lock_guard lock(mutex_);
  about_.erase(peer);
}

void Presence::sent_again(NodeId peer, uint64_t packets) {
  const std::lock_guard lock(mutex_);
  sent_again_[peer] = packets;
}

std::map<NodeId, uint64_t> Presence::sent_again() const {
  const std::lock_guard lock(mutex_);
  return sent_again_;
}

std::optional<std::string> Presence::about(NodeId peer) const {
  const std::lock_guard lock(mutex_);
  const auto entry = about_.find(peer);
  if (entry == about_.end()) return std::nullopt;
  return entry->second;
}

}  // namespace shingle
