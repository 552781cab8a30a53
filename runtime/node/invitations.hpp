// Invitations: which peers this node tells of the tiles that wait here, so that they ask for one.
//
// In a small cluster all. A node with hundreds of peers would get a request from each idle one for
// a handful of tiles, and would answer nearly all of them with no. So it invites a few, drawn anew
// with each of its beats: first some homes of the frames that it works on and spares of their
// owners, because most of these hold the plans and have packed their weights; then idle ones; then
// any.
//
//   other homes of its frames   at most half of the places
//   idle spares, busy spares    at most all but two, from a drawn place on, round and round
//   idle partners, other ones   likewise, the rest
#pragma once

#include "partition/base/dice.hpp"
#include "runtime/node/peers.hpp"
#include "runtime/node/spare_nodes.hpp"

namespace shingle {

class Invitations {
 public:
  // Up to so many peers are invited.
  static constexpr size_t most = 16;
  // Places for peers of which it is not known that they hold the plans.
  static constexpr size_t strangers = 2;

  struct Party {  // of the frames that this node works on; some nodes twice
    std::vector<NodeId> homes, owners;
  };

  // REQUIRES: all outlive me.
  Invitations(const NodeConfig& config, Peers& peers, SpareNodes& spares);

  bool are_for_all() const;
  // Draws whom this node invites from now on. REQUIRES: they are not for all.
  void draw(const Party& party);
  // It hears how many tiles wait here; the others hear of none.
  bool include(const Peer& peer) const { return peer.invited || are_for_all(); }

 private:
  void invite(Peer& peer);
  std::vector<NodeId> spares_of(const std::vector<NodeId>& owners);
  // Of these, from the first one on and round, until so many are invited.
  template <class Wanted>
  void invite_among(const std::vector<NodeId>& some, size_t places, const Wanted& wanted);
  template <class Wanted>
  void invite_around(size_t first, size_t places, const Wanted& wanted);

  const NodeConfig& config_;
  Peers& peers_;
  SpareNodes& spares_;
  Dice dice_;
  std::vector<Peer*> invited_;  // peers stay where they are
};

}  // namespace shingle
