// Heirs: who could do the tiles of homes that are lost, and why nobody can.
//
//   may inherit    homes of the plan that hold it and reach each other; where none is left, other
//                  nodes that hold it, this one included; of the lost home's arithmetic class. A
//                  node that refused a stand-in for want of room keeps its own tiles only
//   hopefully      those that the plan is offered to and that have not answered count, too
//
// In a large cluster homes and spares come first; everybody else is asked where these cannot.
#pragma once

#include "runtime/node/owner/offers.hpp"

namespace shingle {

class Heirs {
 public:
  // REQUIRES: all outlive me.
  Heirs(const NodeConfig& config, const Peers& peers, const Health& health, const Plans& plans,
        const Offers& offers, const Effects& effects);

  enum class Trust : uint8_t { certain, hopeful };
  // Of each home that is out of action, who gets its tiles; none: one of them has no heir.
  // REQUIRES: the plan is offered and loaded.
  std::optional<std::vector<Inheritance>> losses(const PlanHash& wanted, Trust trust) const;
  // Of these nodes, who can compute tiles of the plan.
  std::vector<NodeId> able(const std::vector<NodeId>& nodes, const Offer& offer, Trust trust) const;
  // Copies must be equal to the bit. Of a home that was never heard nothing is known that could
  // differ. REQUIRES: the heir was heard.
  bool may_replace(NodeId heir, NodeId lost) const;
  // Homes and spares cannot do its work, and others were not asked yet. REQUIRES: offered.
  bool needs_more(const PlanHash& wanted) const;
  // Why no frame will be opened for this plan, on it or on a stand-in; empty: one may be.
  std::string obstacle(const PlanHash& wanted) const;

 private:
  bool is_able(NodeId node, const Offer& offer, Trust trust) const;
  std::vector<NodeId> within_reach(std::vector<NodeId> chosen,
                                   std::vector<NodeId> candidates) const;
  bool may_return(const KnownPlan& plan, NodeId node, const Answer& answer) const;
  bool declines(const Offer& wanted, NodeId node, Trust trust) const;
  std::string no_heir(const PlanHash& wanted) const;
  std::string whys(const PlanHash& wanted) const;

  const NodeConfig& config_;
  const Peers& peers_;
  const Health& health_;
  const Plans& plans_;
  const Offers& offers_;
  const Effects& effects_;
};

std::string not_proposed(const PlanHash& plan);

}  // namespace shingle
