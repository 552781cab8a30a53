#include "runtime/node/invitations.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

// Two nodes draw differently, and so do two lives of one.
Invitations::Invitations(const NodeConfig& config, Peers& peers, SpareNodes& spares)
    : config_(config),
      peers_(peers),
      spares_(spares),
      dice_(mixed_bits(config.seed ^ config.id.value) ^ mixed_bits(config.life)) {}

bool Invitations::are_for_all() const { return peers_.count() <= most; }

void Invitations::invite(Peer& peer) {
  if (peer.invited || !peers_.is_partner(peer)) return;
  peer.invited = true;
  invited_.push_back(&peer);
}

std::vector<NodeId> Invitations::spares_of(const std::vector<NodeId>& owners) {
  std::vector<NodeId> all;
  for (const NodeId owner : owners) {
    const std::vector<NodeId>& some = spares_.of(owner);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

template <class Wanted>
void Invitations::invite_among(const std::vector<NodeId>& some, size_t places,
                               const Wanted& wanted) {
  const size_t first = some.empty() ? 0 : dice_.below(some.size());
  for (size_t i = 0; i < some.size() && invited_.size() < places; ++i)
    if (Peer* peer = peers_.find(some[(first + i) % some.size()]); peer != nullptr && wanted(*peer))
      invite(*peer);
}

// Of all peers from the first one on, until so many are invited.
template <class Wanted>
void Invitations::invite_around(size_t first, size_t places, const Wanted& wanted) {
  for (size_t i = 0; i < peers_.count() && invited_.size() < places; ++i) {
    Peer& peer =
        (peers_.begin() + static_cast<std::ptrdiff_t>((first + i) % peers_.count()))->second;
    if (wanted(peer)) invite(peer);
  }
}

void Invitations::draw(const Party& party) {
  assert(!are_for_all());
  const auto is_idle = [](const Peer& peer) { return peer.ready + peer.running == 0; };
  const auto any = [](const Peer&) { return true; };
  for (Peer* peer : invited_) peer->invited = false;
  invited_.clear();
  invite_among(party.homes, most / 2, any);
  const std::vector<NodeId> spares = spares_of(party.owners);
  invite_among(spares, most - strangers, is_idle);
  invite_among(spares, most - strangers, any);
  const size_t first = dice_.below(peers_.count());
  invite_around(first, most, is_idle);
  invite_around(first, most, any);
}

}  // namespace shingle
