// Proposals: what an owner does about the plans that it offers: it proposes them, hears answers,
// reports which are ready or refused, and asks again. Frames follow in OwnFrames.
#pragma once

#include "runtime/node/owner/own_frames.hpp"

namespace shingle {

class Proposals {
 public:
  // REQUIRES: all outlive me.
  Proposals(const NodeConfig& config, Peers& peers, const Health& health, Plans& plans,
            Offers& offers, const Heirs& heirs, OwnFrames& frames, Effects& effects);

  // --- plans. REQUIRES: offered ---
  // Offers it to the nodes that it is for (Offers::is_for). `held`: this node has room for it.
  void propose(const PlanHash& plan, bool held);
  // It can be read now: does the cluster have its homes?
  void loaded(const PlanHash& plan, bool was_overdue);
  // Its text or its weights are no good here. The kind says whether that may pass.
  void cannot_load(const PlanHash& plan, Answer::Kind kind, const std::string& why);
  void refuse(const PlanHash& plan, const std::string& why);  // and reports it

  // --- answers ---
  void answered(NodeId from, const PlanReady& answer);
  // With every beat. A home that never came, or cannot reach another home, must not keep frames
  // waiting for ever.
  void give_up_waiting_for_homes();
  // With every beat. Whatever made a node unfit may have passed.
  void ask_again();

  // --- this node as a home of its own plans ---
  void suspend_self(Answer::Kind kind, const std::string& why);
  void ready_again();  // REQUIRES: it works
  // A plan may be ready again through this node itself alone.
  void check_all();

 private:
  void check_homes(const PlanHash& plan, Offer& offer);
  void report_early_refusal(const PlanHash& plan, const Offer& offer);
  void check(const PlanHash& plan, Offer& offer);
  void ready(NodeId from, const PlanReady& answer, Offer& offer);
  void not_ready(NodeId from, const PlanReady& answer, Offer& offer);
  void take_refusal(NodeId from, const PlanReady& answer, Offer& offer, const std::string& why);
  void decline(NodeId node, const PlanHash& plan, const Offer& offer, const Answer& answer);
  bool may_ask_at_once(const PlanHash& plan, const Offer& offer, NodeId node,
                       const Answer& answer) const;
  void ask_again(const PlanHash& plan, Offer& offer);

  const NodeConfig& config_;
  Peers& peers_;
  const Health& health_;
  Plans& plans_;
  Offers& offers_;
  const Heirs& heirs_;
  OwnFrames& frames_;
  Effects& effects_;
};

}  // namespace shingle
