// Plans: the plans that this node holds, its own ones and those of other owners; their texts until
// they are loaded; and the owners that wait to hear that they may be used here.
//
//   offered --> texts, one at a time --LoadPlan--> loaded --> askers hear "ready" --> told
//                                         |
//                                         '-- longer than `packing_allowed`: overdue; askers hear
//                                             "not now", and "ready" if it comes after all
//
// This part answers questions and tells owners which plans are ready. What follows for frames is
// decided elsewhere.
#pragma once

#include <functional>

#include "runtime/node/health.hpp"

namespace shingle {

struct OfferedText {  // of a plan that is not loaded yet
  std::string text;
  ModelHash model;           // as they say
  std::vector<NodeId> from;  // this node, if it was proposed here
};

class Plans {
 public:
  // REQUIRES: all outlive me.
  Plans(const NodeConfig& config, const Peers& peers, const Health& health, Effects& effects);

  // --- questions ---
  bool contains(const PlanHash& plan) const { return entries_.contains(plan); }
  size_t size() const { return entries_.size(); }
  KnownPlan* known(const PlanHash& plan);  // null: not loaded. It stays where it is while held.
  const KnownPlan* known(const PlanHash& plan) const;
  std::vector<uint64_t> loaded_prefixes() const;  // prefix64 of each loaded plan
  std::string packing_hangs() const;              // one sentence without its subject's name

  // --- the table ---
  using MayMakeWay = std::function<bool(const PlanHash&, Time used_at)>;
  struct Room {
    bool found = false;
    std::optional<PlanHash> given_up{};  // for it
  };
  // Holds the plan from now on. If the table is full, the plan that was used longest ago makes way,
  // of those that may; whoever was told of that one hears so. Plans that are being loaded stay.
  Room hold(const PlanHash& plan, const MayMakeWay& may_make_way);
  void use(const PlanHash& plan);  // it makes way later. Nothing happens if it is not held.
  void drop_unless_awaited(const PlanHash& plan);  // by an owner, or because it is being loaded

  // --- offers to this node ---
  void offered(NodeId from, const PlanOffer& offer);  // REQUIRES: held
  void answer_askers();                               // all that can be told "ready"
  // This node works again. Askers that cannot be told "ready", because another home is away, hear
  // that; the last that they heard may be that this node hangs. REQUIRES: it works.
  void tell_of_homes_away();
  void refuse_askers(const PlanHash& plan);  // if this node is out of order
  void refuse_all_askers();
  void refuse_askers_of_loaded();
  // Tells all owners that were told "ready". `answer.plan` is filled in.
  void withdraw(PlanReady answer);
  void lost(NodeId peer);  // owners must not count on us for plans that need this home

  // --- texts ---
  // A text may come from anybody, and only loading it shows whether it is the plan's. So each text
  // that differs waits for its turn, and a wrong one is held against its givers alone. REQUIRES:
  // held.
  void take_text(const PlanHash& plan, OfferedText offered);
  bool awaits(const PlanHash& plan) const;  // held and not loaded
  // It is loaded. True: it was overdue. REQUIRES: awaits()
  bool take_loaded(const PlanHash& plan, std::shared_ptr<const LoadedPlan> loaded);
  // The text at hand is none of this plan. Returns who gave it; the next one is loaded. REQUIRES:
  // awaits()
  std::vector<NodeId> text_failed(const PlanHash& plan, const std::string& why);
  // The text is as good as it was, and whoever asked may ask again. REQUIRES: awaits()
  void loading_failed(const PlanHash& plan, const std::string& why);
  // The next plan whose loading takes too long: its askers have heard so. None: all else is in
  // time.
  std::optional<PlanHash> next_overdue();

 private:
  struct Entry {
    std::vector<OfferedText> texts{};  // that differ; the first is being loaded
    Duration loading_since{};          // by Health::uptime()
    bool overdue = false;              // loading for longer than it may
    std::optional<KnownPlan> known;
    std::vector<NodeId> askers;  // owners that wait for PlanReady
    std::vector<NodeId> told;    // owners that were told it is ready
    Time used_at{};
  };
  using Entries = std::map<PlanHash, Entry>;

  Entry& at(const PlanHash& plan);
  Entries::iterator oldest(const MayMakeWay& may_make_way);
  bool is_unreachable(const KnownPlan& plan) const;
  void take_text_back(Entry& entry, NodeId from);
  void load(const PlanHash& plan, Entry& entry);

  const NodeConfig& config_;
  const Peers& peers_;
  const Health& health_;
  Effects& effects_;
  Entries entries_;
};

// An answer to an owner that may ask again later.
PlanReady not_now(const PlanHash& plan, std::string why);

}  // namespace shingle
