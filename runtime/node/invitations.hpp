// Invitations: which peers this node tells of the tiles that wait here, so that they ask for one.
//
// In a small cluster all. A node with hundreds of peers would get a request from each idle one for
// a handful of tiles, and would answer nearly all of them with no. So it invites a few, drawn anew
// with each of its beats: first some homes of the frames that it works on, because they hold the
// plan and have packed its weights; then idle ones; then any.
//
//   other homes of its frames   at most half of the places
//   partners that do nothing    from a drawn place on, round and round
//   other partners              likewise
#pragma once

#include "partition/base/dice.hpp"
#include "runtime/node/peers.hpp"

namespace shingle {

class Invitations {
 public:
  // Up to so many peers are invited.
  static constexpr size_t most = 16;

  // REQUIRES: both outlive me.
  Invitations(const NodeConfig& config, Peers& peers);

  bool are_for_all() const;
  // Draws whom this node invites from now on. REQUIRES: they are not for all.
  void draw(const std::vector<NodeId>& fellow_homes);
  // It hears how many tiles wait here; the others hear of none.
  bool include(const Peer& peer) const { return peer.invited || are_for_all(); }

 private:
  void invite(Peer& peer);
  template <class Wanted>
  void invite_around(size_t first, size_t places, const Wanted& wanted);

  const NodeConfig& config_;
  Peers& peers_;
  Dice dice_;
  std::vector<Peer*> invited_;  // peers stay where they are
};

}  // namespace shingle
