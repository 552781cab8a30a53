// Saboteur: breaks things before the calm, from a seed, and mends them at the latest when it comes.
//
//   machines   crash and come back as a new life, one or a storm of them; hang; slow down; their
//              executor fails or stalls; no further plan fits their memory; they are started with
//              another version of the wires
//   wires      cut; reset (what was on them is lost); a bent piece (which resets them); clogged one
//              way or both; cut between two halves of the cluster
//   tiles      one machine computes some of them wrongly, or some of those that it borrows, in few
//              seeds: what then leaves the cluster may be wrong, but it still ends, and nobody else
//              is blamed
//   weights    of one machine change in memory, in few seeds: wrong frames may leave until it has
//              found that, none from the calm on
//   tangled    what no TCP does: messages come twice, behind later ones, or out of a connection
//   that
//              has ended; in few seeds, because then little can be promised until it is over
#pragma once

#include "sim/cluster.hpp"

namespace shingle::swarm {

inline constexpr Time calm = Time{} + std::chrono::seconds(3);
// From here on nothing may fail: silences have been noticed, sessions stand again.
inline constexpr Time settled = calm + std::chrono::seconds(10);

class Saboteur {
 public:
  Saboteur(sim::VirtualCluster& cluster, size_t machines, sim::Random& random)
      : cluster_(cluster), machines_(machines), random_(random) {}

  void strike();
  void tangle();                   // a wire
  void spoil(bool borrowed_only);  // some of one machine's tiles
  void damage_weights();           // of one machine, which finds it itself and packs them again
  void mend_all();  // restarts may meet wires that were cut meanwhile, and the other way round

  bool spoils() const { return spoiler_.has_value(); }
  bool has_spoilt(NodeId node) const;  // tiles, or its weights were damaged

  // Why this frame may have been given up; empty: it may not.
  bool excuses(const std::string& sentence) const;

 private:
  using Fault = void (Saboteur::*)();

  NodeId any() { return NodeId{static_cast<uint32_t>(random_.next() % machines_)}; }
  void draw_times();
  void crash();
  void storm();
  void hang();
  void slow();
  void break_executor();
  void stall();
  void squeeze();
  void skew();
  void cut();
  void reset();
  void bend();
  void clog();
  void clog_both_ways();
  void split();
  void part(NodeId a, NodeId b);

  sim::VirtualCluster& cluster_;
  size_t machines_;
  sim::Random& random_;
  NodeId victim_, other_;
  Time at_{}, until_{};
  std::optional<NodeId> spoiler_, damaged_;
  bool broke_executors_ = false, stormed_ = false, squeezed_ = false, tangled_ = false;
};

}  // namespace shingle::swarm
