#include "runtime/node/invitations.hpp"

#include <cassert>

namespace shingle {

// Two nodes draw differently, and so do two lives of one.
Invitations::Invitations(const NodeConfig& config, Peers& peers)
    : config_(config),
      peers_(peers),
      dice_(mixed_bits(config.seed ^ config.id.value) ^ mixed_bits(config.life)) {}

bool Invitations::are_for_all() const { return peers_.count() <= most; }

void Invitations::invite(Peer& peer) {
  if (peer.invited || !peers_.is_partner(peer)) return;
  peer.invited = true;
  invited_.push_back(&peer);
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

void Invitations::draw(const std::vector<NodeId>& fellow_homes) {
  assert(!are_for_all());
  for (Peer* peer : invited_) peer->invited = false;
  invited_.clear();
  const size_t fellows = fellow_homes.size();
  const size_t first_fellow = fellows == 0 ? 0 : dice_.below(fellows);
  for (size_t i = 0; i < fellows && invited_.size() < most / 2; ++i)
    if (Peer* peer = peers_.find(fellow_homes[(first_fellow + i) % fellows])) invite(*peer);
  const size_t first = dice_.below(peers_.count());
  invite_around(first, most, [](const Peer& peer) { return peer.ready + peer.running == 0; });
  invite_around(first, most, [](const Peer&) { return true; });
}

}  // namespace shingle
