// Lending: the victim's side of work stealing: which tile of this home a thief gets, and what
// happens when it comes back or does not.
//
// A loan keeps the tile's windows here, so a lost thief costs time only: the tile goes back into
// the queue under the next attempt, and what the old attempt may still bring is recognised by its
// number. The same happens to a late loan, once this home has nothing else to do.
#pragma once

#include "runtime/node/tiles/home_frames.hpp"

namespace shingle {

class Lending {
 public:
  // REQUIRES: all outlive me.
  Lending(const NodeConfig& config, Peers& peers, const Health& health, const ComputeSpeed& speed,
          ReadyQueue& ready, Loans& loans, HomeFrames& frames, Effects& effects);

  void asked(NodeId thief, const StealRequest& request);  // REQUIRES: it has joined
  void take_output(NodeId from, const Piece& piece);
  void given_back(NodeId from, const Failed& failed);
  void lost_thief(NodeId thief);
  // A free slot computes late loans at home, those of the oldest frames first.
  void hedge();
  bool may_hedge() const;  // at the next step, because a loan may be late by then

 private:
  std::optional<ReadyTile> tile_for(NodeId thief, const StealRequest& request) const;
  bool may_lend(const ReadyTile& tile, NodeId thief, const StealRequest& request) const;
  Duration compute_time(const ReadyTile& tile) const;
  LoanEstimate estimate(const Peer& thief, const ReadyTile& candidate) const;
  void lend(NodeId thief, const ReadyTile& lent);
  void send_windows(NodeId thief, const ReadyTile& lent, const std::vector<LentPart>& windows);
  void take_back(const TileKey& key, bool stays);

  const NodeConfig& config_;
  Peers& peers_;
  const Health& health_;
  const ComputeSpeed& speed_;
  ReadyQueue& ready_;
  Loans& loans_;
  HomeFrames& frames_;
  Effects& effects_;
};

}  // namespace shingle
