#include "runtime/node/peers.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

namespace {

uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

}  // namespace

Peers::Peers(const NodeConfig& config) : config_(config) {
  std::set<NodeId> others(config.members.begin(), config.members.end());
  others.erase(config.id);
  by_id_.reserve(others.size());
  for (const NodeId member : others) by_id_.emplace_back(member, Peer{});
  joined_.away = by_id_.size();
}

// Ids mostly count from the first one on.
size_t Peers::place_of(NodeId node) const {
  if (by_id_.empty()) return 0;
  const NodeId first = by_id_.front().first;
  const uint32_t self = first < config_.id && config_.id < node ? 1 : 0;
  const size_t guess = node.value - first.value - self;
  if (guess < by_id_.size() && by_id_[guess].first == node) return guess;
  const auto place =
      std::lower_bound(by_id_.begin(), by_id_.end(), node,
                       [](const auto& entry, NodeId wanted) { return entry.first < wanted; });
  if (place == by_id_.end() || place->first != node) return by_id_.size();
  return static_cast<size_t>(place - by_id_.begin());
}

Peer* Peers::find(NodeId node) {
  const size_t place = place_of(node);
  return place < by_id_.size() ? &by_id_[place].second : nullptr;
}

const Peer* Peers::find(NodeId node) const {
  const size_t place = place_of(node);
  return place < by_id_.size() ? &by_id_[place].second : nullptr;
}

Peer& Peers::at(NodeId node) {
  Peer* peer = find(node);
  assert(peer != nullptr);
  return *peer;
}

const Peer& Peers::at(NodeId node) const {
  const Peer* peer = find(node);
  assert(peer != nullptr);
  return *peer;
}

bool Peers::is_member(NodeId node) const { return node == config_.id || find(node) != nullptr; }

bool Peers::is_joined(NodeId node) const {
  const Peer* peer = find(node);
  return peer != nullptr && peer->joined;
}

bool Peers::is_away(NodeId node) const {
  const Peer* peer = find(node);
  return peer != nullptr && !peer->joined;
}

bool Peers::is_partner(const Peer& peer) const {
  return peer.joined && peer.hello.compute_slots > 0 &&
         peer.hello.arithmetic_class == config_.arithmetic_class;
}

std::optional<NodeId> Peers::longest_queue() const {
  if (surpluses_.empty()) return {};
  return surpluses_.rbegin()->node;
}

void Peers::note_surplus(NodeId node) {
  Peer& peer = at(node);
  const bool counts = peer.inviting && peer.ready > config_.limits.steal_keep && is_partner(peer);
  const uint32_t surplus = counts ? peer.ready : 0;
  if (surplus == peer.surplus) return;
  const uint64_t lot = mixed(config_.seed ^ node.value);
  if (peer.surplus > 0) surpluses_.erase({peer.surplus, lot, node});
  if (surplus > 0) surpluses_.insert({surplus, lot, node});
  peer.surplus = surplus;
}

void Peers::note_joined(bool has_joined) {
  assert(joined_.away <= by_id_.size());
  assert(has_joined ? joined_.away > 0 : joined_.away < by_id_.size());
  has_joined ? --joined_.away : ++joined_.away;
  if (!has_joined) ++joined_.endings;
}

int64_t Peers::fastest_link() {
  if (fastest_link_) return *fastest_link_;
  fastest_link_ = 0;
  for (const auto& [id, peer] : by_id_)
    if (peer.joined) fastest_link_ = std::max(*fastest_link_, peer.link.bytes_per_second());
  return *fastest_link_;
}

bool Peers::all_links_empty() const {
  return std::all_of(by_id_.begin(), by_id_.end(),
                     [](const auto& entry) { return entry.second.link.empty(); });
}

std::string Peers::name_of(NodeId node) const {
  const std::string number = "node " + std::to_string(node.value);
  const Peer* peer = find(node);
  const std::string& name = node == config_.id ? config_.name
                            : peer == nullptr  ? std::string{}
                                               : peer->hello.name;
  return name.empty() ? number : number + " (" + name + ")";
}

}  // namespace shingle
