// SpareNodes: which nodes are offered a plan although they have no tile in it, so that they can
// inherit tiles of lost homes, audit them and borrow them.
//
// In a small cluster all others are spares. In a large one each owner has a few. Every node can
// work out whose spares the others are. So a home with a surplus knows which nodes hold the plans
// of its frames and may borrow tiles. The choice is the same on all nodes, spread evenly, and
// changes little if members come or go (rendezvous hashing: Thaler, Ravishankar 1998).
//
//   members of up to 17     all others
//   more                    those 16 with the smallest hash of (owner, member)
//
// If they and the homes cannot do the work, all are asked (Offers::ask_more).
#pragma once

#include <map>
#include <vector>

#include "partition/base/ids.hpp"

namespace shingle {

class SpareNodes {
 public:
  static constexpr size_t most = 16;  // of one owner, in a cluster that has more

  explicit SpareNodes(std::vector<NodeId> members);

  bool are_all() const { return members_.size() <= most + 1; }
  // The owner's spares, ascending, without the owner; if members are few, all of them. They are
  // worked out once for each owner.
  const std::vector<NodeId>& of(NodeId owner);

 private:
  std::vector<NodeId> members_;  // ascending
  std::map<NodeId, std::vector<NodeId>> known_;
};

}  // namespace shingle
