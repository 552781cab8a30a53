// Offers: the plans that this node offers as an owner, what each node answered, and whom this owner
// distrusts. It says what holds; OwnFrames and Proposals decide what follows.
//
//   proposed    by the application; stays until it is withdrawn and no frame needs it
//   stand-in    made here when homes of a plan fail; it has a role for each plan and loss that it
//               serves, and makes way for other plans
#pragma once

#include "partition/plan/stand_in.hpp"
#include "runtime/node/plans.hpp"
#include "runtime/node/spare_nodes.hpp"

namespace shingle {

struct Role {  // of a stand-in: which plan it stands for, and why
  PlanHash wanted;
  std::vector<Inheritance> losses;
  friend bool operator==(const Role&, const Role&) = default;
};
struct StandIn {
  Role role;
  PlanProposed proposal;
};
struct Offer {
  ModelHash model;
  std::string text;
  std::vector<NodeId> homes;  // ascending; empty: not known
  bool proposed = false;      // by the application
  bool is_for_all = false;    // homes and spares were not enough
  std::vector<Role> roles;    // as a stand-in; one plan may serve several losses
  std::map<NodeId, Answer> answers;
  // The life of each node to which the text was sent, unless it said that it lacks it.
  std::map<NodeId, uint64_t> holders;
  bool reported_ready = false;
  std::string refused;  // why no frame can ever be opened on it; empty: one may
  Time refused_at{};
  // When a home that had given the plan up was last asked again at once. Two owners may compete for
  // the last room of a home. If they asked with every beat, it would forget their plans by turns.
  std::map<NodeId, Time> asked_at_once;
  bool full = false;  // of a stand-in: refused only because too many plans are in use just now
  // Of a plan that others stand in for: nodes that had no room for tiles of lost homes. They keep
  // their own tiles.
  std::map<NodeId, Answer> declined;
};

// The node cannot do its part of a plan now, though it could, or may be able to later.
bool out_of_action(const Answer& answer);

class Offers {
 public:
  // REQUIRES: all outlive me.
  Offers(const NodeConfig& config, const Peers& peers, SpareNodes& spares, const Plans& plans,
         Effects& effects);

  // --- questions ---
  Offer* find(const PlanHash& plan) { return find_in(offers_, plan); }
  const Offer* find(const PlanHash& plan) const { return find_in(offers_, plan); }
  Offer& at(const PlanHash& plan);  // REQUIRES: offered
  const Offer& at(const PlanHash& plan) const;
  bool contains(const PlanHash& plan) const { return offers_.contains(plan); }
  auto begin() { return offers_.begin(); }  // pairs of PlanHash and Offer
  auto end() { return offers_.end(); }
  auto begin() const { return offers_.begin(); }
  auto end() const { return offers_.end(); }
  // Null: none has this role.
  const std::pair<const PlanHash, Offer>* offered_as(const Role& role) const;
  bool can_open(const PlanHash& plan) const;                       // all its homes are ready
  bool is_degraded(const PlanHash& plan) const;                    // a home of it is out of action
  bool is_known_to_hang(const PlanHash& plan, NodeId home) const;  // REQUIRES: offered
  size_t proposals() const;
  // The node computes, and is a home of the plan or one of the owner's spares, or all are asked.
  bool is_for(const Peer& peer, NodeId id, const Offer& offer) const;
  bool may_ask_more(const Offer& offer) const;  // than those

  // --- the table ---
  void propose(const PlanProposed& proposal);
  // False: the plan was offered already, and serves this loss too.
  bool add_stand_in(StandIn stand_in);
  void withdraw(const PlanHash& plan);
  void forget(const PlanHash& plan);
  void forget_refused(const std::function<bool(const PlanHash&)>& has_frames);
  // Forgets what nodes answered, because the plan is proposed once more. A node that is away stays
  // lost.
  void begin_anew(Offer& offer);

  // --- to nodes ---
  // The text goes once to each life of a peer, whether or not it has answered. On a slow wire the
  // texts of several plans would otherwise hold up the beats: peers would lose us because of them,
  // come back, and get the texts again. A text that a connection took with it is asked for.
  void offer_to(NodeId peer, const PlanHash& plan, Offer& offer);
  void offer_all_to(NodeId peer);
  // From now on it is for all. REQUIRES: may_ask_more().
  void ask_more(const PlanHash& plan, Offer& offer);

  // --- answers ---
  // If it was ready and this home was one that it needs; it will be reported ready again.
  void impair(const PlanHash& plan, Offer& offer, NodeId home, const std::string& why);
  // The node cannot do its part of the plan, nor of those that the plan stands in for.
  void suspend(NodeId node, const PlanHash& plan, const Answer& answer);
  // The node does not take the plan. `asked_at_once`: it will be asked again with the next beat.
  void decline(NodeId node, const PlanHash& plan, const Answer& answer, bool asked_at_once);
  void decline_inheritance(NodeId node, const Offer& offer, const Answer& answer);
  void accept_inheritance(NodeId node, const Offer& offer);
  // It is lost. True: it is a home of the plan.
  bool lose(NodeId node, const PlanHash& plan, Offer& offer, const std::string& why);

  // --- trust ---
  bool distrusts(NodeId node) const { return distrusted_.contains(node); }
  const std::set<NodeId>& distrusted() const { return distrusted_; }
  Answer no_trust_in(NodeId node) const;
  // For as long as this owner lives: a machine that computes wrongly does not heal by starting
  // anew. False: it was distrusted already.
  bool distrust(NodeId node);

 private:
  Offer& add(const PlanHash& plan);
  bool stays_lost(NodeId node, const Answer& answer) const;
  bool may_hold(NodeId node, const PlanHash& plan) const;  // it has not said that it lacks it

  const NodeConfig& config_;
  const Peers& peers_;
  const bool all_are_spares_;
  const std::vector<NodeId>& spares_;  // of this owner, ascending
  const Plans& plans_;
  Effects& effects_;
  std::map<PlanHash, Offer> offers_;
  std::set<NodeId> distrusted_;
};

}  // namespace shingle
