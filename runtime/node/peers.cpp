#include "runtime/node/peers.hpp"

#include <algorithm>
#include <cassert>

#include "runtime/node/lookup.hpp"

namespace shingle {

Peers::Peers(const NodeConfig& config) : config_(config) {
  for (const NodeId member : config.members)
    if (member != config.id) by_id_.try_emplace(member);
}

Peer* Peers::find(NodeId node) { return find_in(by_id_, node); }
const Peer* Peers::find(NodeId node) const { return find_in(by_id_, node); }

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

bool Peers::is_member(NodeId node) const { return node == config_.id || by_id_.contains(node); }

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
