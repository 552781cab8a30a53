#include "transport/zmq/presence.hpp"

#include <algorithm>

#include "transport/codec/greeting.hpp"

namespace shingle {

void Presence::up(NodeId peer, std::string about) {
  const std::lock_guard lock(mutex_);
  entries_[peer] = {.up = true, .trouble = {}, .about = std::move(about)};
  changed_.notify_all();
}

void Presence::down(NodeId peer, std::string trouble) {
  const std::lock_guard lock(mutex_);
  entries_[peer] = {.up = false, .trouble = std::move(trouble), .about = {}};
}

std::optional<std::string> Presence::about(NodeId peer) const {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(peer);
  if (entry == entries_.end() || !entry->second.up) return std::nullopt;
  return entry->second.about;
}

bool Presence::all_up(const std::vector<PeerAddress>& peers) const {
  return std::ranges::all_of(peers, [this](const PeerAddress& peer) {
    const auto entry = entries_.find(peer.id);
    return entry != entries_.end() && entry->second.up;
  });
}

// A sentence without its end.
std::string Presence::absence(const PeerAddress& peer) const {
  const auto entry = entries_.find(peer.id);
  const bool dials = peer.id < self_;
  std::string text = title(peer.id, peer.name);
  if (!dials && peer.port != 0) text += " at " + peer.host + ":" + std::to_string(peer.port);
  text += dials ? " has not called" : " does not answer";
  if (entry != entries_.end() && !entry->second.trouble.empty())
    text += " (" + entry->second.trouble + ")";
  return text;
}

Status Presence::wait_for(const std::vector<PeerAddress>& peers, Duration deadline) const {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, deadline, [&] { return all_up(peers); })) return success();
  std::string sentence;
  for (const PeerAddress& peer : peers) {
    const auto entry = entries_.find(peer.id);
    if (entry != entries_.end() && entry->second.up) continue;
    sentence += (sentence.empty() ? "" : "; ") + absence(peer);
  }
  sentence.front() = 'N';  // every absence begins with "node"
  const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(deadline).count();
  return Error{sentence + " after " + std::to_string(waited) +
               " ms: start it there, or correct its address in the cluster file."};
}

}  // namespace shingle
