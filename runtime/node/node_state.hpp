// Everything that a node remembers, and the functions that change it, one file per part:
//
//   node.cpp          step: the front door, dispatch, and what ends every step
//   node_door.cpp     what a message must fulfil to be acted on
//   node_peers.cpp    sessions, beats, silence, credits, adverts
//   node_plans.cpp    plans offered, and what peers say of them
//   node_held.cpp     which plans are held, for whom, and which make way
//   node_texts.cpp    texts of plans that are being loaded, and who answers for them
//   node_owner.cpp    frames of this node: waiting, opening, running, delivered in order
//   node_recovery.cpp frames of this node whose homes are lost: begun again, on a stand-in
//   node_home.cpp     tiles of this node: slots, strips, readiness, computing
//   node_victim.cpp   tiles lent
//   node_thief.cpp    tiles borrowed
//   node_audit.cpp    tiles computed once more by others, and who is trusted no more
//   node_hang.cpp     tiles from which the executor does not come back
//   node_packing.cpp  plans from whose packing it does not come back
//   node_weights.cpp  weights that changed in memory
//   node_check.cpp    what must always hold
//
// Messages to the node itself take the same functions: send() and transfer() put them on local
// queues that settle() empties before the step ends, so no function changes what its caller is
// looking at.
#pragma once

#include <deque>

#include "partition/base/dice.hpp"
#include "runtime/node/node_records.hpp"
#include "runtime/node/ready_queue.hpp"

namespace shingle {

class Breaches;  // node_check.cpp

inline std::string not_proposed(const PlanHash& plan) {
  return "plan " + short_name(plan) + " was not proposed here";
}

inline Piece promised(const FrameKey& key, const PlanHash& plan, StripId strip) {
  return {.key = key,
          .plan = prefix64(plan),
          .role = Piece::Role::promised,
          .tile = {},
          .attempt = 0,
          .index = strip.value};
}

struct Node::State {
  explicit State(NodeConfig node_config);

  NodeConfig config;
  NodeCounters counters;
  Time now{};
  Actions* out = nullptr;
  size_t first_action = 0;  // of this step, in `out`

  std::map<NodeId, Peer> peers;  // every other member
  std::map<PlanHash, PlanEntry> plans;
  std::map<PlanHash, Offer> offers;
  std::map<uint64_t, OwnedFrame> owned;  // by frame, ascending
  uint64_t next_frame = 0;
  std::deque<StandIn> stand_ins_due;
  std::set<NodeId> distrusted;  // by this owner
  std::map<FrameKey, HomeFrame> homes;
  std::deque<SlotRequest> slot_requests;
  std::map<TileKey, Loan> loans;
  std::map<TileKey, Borrowed> borrowed;
  std::optional<NodeId> asked_to_steal;
  ReadyQueue ready;
  uint32_t running = 0;
  std::vector<Underway> underway;    // the running tiles
  Duration watched{};                // so long has this node been up and looked at them
  std::string damage;                // of the weights: why this node computes nothing; empty: none
  bool packing = false;              // them again
  bool lacks_memory = false;         // to pack them, for now
  uint32_t repairs = 0;              // begun, in this life
  uint32_t pack_failures = 0;        // one after the other
  std::optional<Time> pack_at;       // the next attempt to pack them, after one that failed
  std::optional<Time> weights_seen;  // last looked at, or never
  bool surplus_told = false;
  uint32_t picoseconds_per_mac = 0;
  std::optional<Time> idle_since;  // a slot is free, and nothing is on its way into it
  std::optional<Time> next_beat, alarm;
  std::deque<Message> local_messages;
  Link local_pieces;       // without a window
  uint64_t transfers = 0;  // queued on any link

  // --- node.cpp ---
  void on(const MessageReceived& event);
  void handle(NodeId from, const Message& message);
  void on_piece(NodeId from, const Piece& piece, std::optional<CanvasKey> source);
  void on_failed(NodeId from, const Failed& failed);
  void on(const TileBegun& event);
  void on(const TileComputed& event);
  void on_outcome(const TileComputed& event);
  void settle();
  void drain();
  void stamp();
  template <class A>
  void act(A action) {
    out->emplace_back(std::in_place_type<A>, std::move(action));
  }
  void report(Report::Kind kind, const FrameKey& key, NodeId node, std::string sentence = {},
              const PlanHash& plan = {});
  std::string name_of(NodeId node) const;

  // --- node_door.cpp: a sentence if the message may not be acted on ---
  std::string refusal(const Peer& peer, const MessageReceived& event) const;
  std::string open_refusal(NodeId from, const FrameOpen& open) const;
  std::string report_refusal(NodeId from, const FrameKey& key, TileId tile) const;
  std::string failed_refusal(NodeId from, const Failed& failed) const;
  std::string witness_refusal(const AuditResult& witness) const;
  bool is_member(NodeId node) const;
  std::string piece_refusal(NodeId from, const Piece& piece, int64_t payload_bytes) const;
  std::string promised_refusal(const KnownPlan& plan, NodeId from, const Piece& piece,
                               int64_t payload_bytes) const;

  // --- node_peers.cpp ---
  void on(const PeerSeen& event);
  void on(const PeerLost& event);
  void begin_session(NodeId id, Peer& peer);
  void say_hello(NodeId id, Peer& peer);
  void on_hello(NodeId from, const Hello& hello);
  void join(NodeId id, Peer& peer);
  void report_session(Report::Kind kind, NodeId id, std::string sentence = {});
  void hear(Peer& peer, const MessageReceived& event);
  void lose(NodeId id, const std::string& why);
  void unsay(NodeId to);
  void send(NodeId to, Message message);
  void transfer(NodeId to, Outgoing outgoing);
  void pump();
  void send_piece(NodeId id, Peer& peer);
  void sent(const Outgoing& outgoing);
  void drop_pieces(const FrameKey& key, Place source);
  void on(const Woken&);
  void note_gap(Peer& peer);
  Duration silence_allowed(const Peer& peer) const;
  bool has_only_stuttered(const Peer& peer) const;
  void forgive_own_pause();
  void lose_the_silent();
  void beat();
  void keep_time();
  void advertise();
  void acknowledge();
  Envelope envelope_to(const Peer& peer) const;
  bool is_partner(const Peer& peer) const;  // may lend to us, or borrow

  // --- node_plans.cpp ---
  void on(const PlanLoaded& event);
  void propose(const PlanHash& hash, Offer& offer);
  bool stays_lost(NodeId node, const Answer& answer) const;
  void on_plan_offer(NodeId from, const PlanOffer& offer);
  void on_plan_ready(NodeId from, const PlanReady& answer);
  void offer_plans_to(NodeId peer);
  Answer no_trust_in(NodeId node) const;
  void offer_plan(const PlanHash& hash, Offer& offer, NodeId peer);
  void refuse_plan(const PlanHash& hash, Offer& offer, const std::string& why);
  void impair_plan(const PlanHash& hash, Offer& offer, NodeId home, const std::string& why);
  void check_homes(const PlanHash& hash, Offer& offer);
  void answer_askers();
  void give_up_waiting_for_homes();
  void withdraw_readiness(NodeId lost);
  void check_offer(const PlanHash& hash, Offer& offer);
  bool can_open(const PlanHash& hash) const;
  std::string obstacle(const PlanHash& hash) const;  // why no frame will be opened; empty: none

  // --- node_held.cpp ---
  void on(const PlanProposed& event);
  void on(const PlanWithdrawn& event);
  size_t most_proposals() const;
  size_t proposals() const;
  Offer& offer_entry(const PlanHash& hash);
  void drop_withdrawn();
  void drop_offer(const PlanHash& hash);
  void forget_offer(const PlanHash& hash);
  bool is_needed(const PlanHash& hash, const Offer& offer) const;
  bool may_make_way(const PlanHash& hash, const PlanEntry& entry, bool for_own) const;
  PlanEntry* plan_entry(const PlanHash& hash);  // null: no room
  bool has_frames(const PlanHash& hash) const;  // of this owner
  bool in_use(const PlanHash& hash) const;
  KnownPlan* known(const PlanHash& hash);  // null: not loaded
  const KnownPlan* known(const PlanHash& hash) const;

  // --- node_texts.cpp ---
  void take_text(const PlanHash& hash, PlanEntry& entry, OfferedText offered);
  void take_text_back(PlanEntry& entry, NodeId from);
  void text_failed(const PlanHash& hash, const std::string& why);

  // --- node_recovery.cpp ---
  enum class Trust : uint8_t { certain, hopeful };
  void suspend_frames(const PlanHash& hash, const std::string& why);
  void suspend(uint64_t number, const std::string& why);
  bool is_degraded(const PlanHash& wanted) const;
  std::optional<PlanHash> plan_to_open(const PlanHash& wanted);  // none: not yet
  std::map<PlanHash, Offer>::const_iterator offered_as(const Role& role) const;
  PlanHash stand_in_for(const Role& role);
  void propose_stand_ins();
  std::optional<std::vector<Inheritance>> losses(const PlanHash& wanted, Trust trust) const;
  std::vector<NodeId> able(const std::vector<NodeId>& nodes, const Offer& offer, Trust trust) const;
  std::vector<NodeId> within_reach(std::vector<NodeId> chosen,
                                   std::vector<NodeId> candidates) const;
  bool may_replace(NodeId heir, NodeId lost) const;
  bool may_return(const KnownPlan& plan, NodeId node, const Answer& answer) const;
  std::string no_heir(const PlanHash& wanted) const;
  bool declines(const Offer& wanted, NodeId node, Trust trust) const;
  void put_aside(NodeId node, const PlanHash& hash, const Answer& answer);
  void decline(NodeId node, const PlanHash& hash, const Answer& answer);
  void decline_inheritance(NodeId node, const Offer& offer, const Answer& answer);
  void accept_inheritance(NodeId node, const Offer& offer);
  void leave_the_hung();
  void check_offers();
  bool may_ask_at_once(const PlanHash& hash, const Offer& offer, NodeId node,
                       const Answer& answer) const;
  void ask_again();

  // --- node_audit.cpp ---
  void draw_audits(uint64_t number, OwnedFrame& frame);
  std::vector<NodeId> auditors(const OwnedFrame& frame, const Tile& tile, Dice& dice) const;
  FrameOpen opening_for(const FrameKey& key, const OwnedFrame& frame, NodeId home) const;
  void on_audit_result(NodeId from, const AuditResult& witness);
  void hear_content(const Done& done);
  void compare(uint64_t number, OwnedFrame& frame, TileId tile);
  void dispute(uint64_t number, OwnedFrame& frame, TileId tile, const TileClaim& first,
               const TileClaim& second);
  bool may_still_claim(const OwnedFrame& frame, NodeId node) const;
  void end_audit(uint64_t number, OwnedFrame& frame, OwnAudit& audit);
  void owner_lost_auditor(NodeId auditor);
  void give_up_waiting_for_witnesses();
  void distrust(NodeId node, const std::string& why);
  bool request_audit(const FrameKey& key, HomeFrame& frame, TileId tile, NodeId computer);
  std::optional<NodeId> auditor_beside(const HomeAudit& audit, NodeId computer) const;
  void give_audit_up(const FrameKey& key, HomeFrame& frame, TileId tile);
  void home_lost_auditor(NodeId auditor);
  void void_audits(const FrameKey& key, const HomeFrame& frame);
  struct AuditsHeld {
    size_t tiles = 0;
    int64_t bytes = 0;
  };
  AuditsHeld audits_held() const;
  bool may_audit(NodeId home, const Assign& wanted) const;
  void on_audit_request(NodeId from, const AuditRequest& audit_request);

  // --- node_owner.cpp ---
  void on(const FrameCaptured& event);
  void drop_surplus_frames();
  void abort_hopeless_frames();
  void open_next();
  void open(uint64_t number, OwnedFrame& frame, const PlanHash& hash);
  void ask_next_homes();
  void give_up_waiting_for_slots();
  void give_up_waiting_for_tiles();
  bool is_known_to_hang(const PlanHash& hash, NodeId home) const;
  std::pair<NodeId, std::string> held_up_by(const OwnedFrame& frame) const;
  void on_grant(NodeId from, const FrameKey& key);
  void start(const FrameKey& key, OwnedFrame& frame);
  void on_outcome(const FrameKey& key, StripId strip, std::optional<CanvasKey> source);
  void complete_if_all_is_here(const FrameKey& key, OwnedFrame& frame);
  void complete(const FrameKey& key, OwnedFrame& frame);
  void deliver_in_order();
  void abort(uint64_t number, const std::string& why);
  void close_at_homes(const FrameKey& key, const OwnedFrame& frame, bool aborted);
  void on_done(const Done& done);
  void on_failed_at_home(NodeId from, const Failed& failed);
  void owner_lost_home(NodeId home, const std::string& why);
  FrameKey own_key(uint64_t frame) const;                             // its name: attempt 0
  FrameKey own_key(uint64_t frame, const OwnedFrame& attempt) const;  // of the attempt at hand
  OwnedFrame* own_frame(const FrameKey& key);
  const OwnedFrame* own_frame(const FrameKey& key) const;
  uint64_t closed_below() const;
  size_t waiting_frames() const;
  size_t open_frames() const;  // all others

  // --- node_home.cpp ---
  void on_frame_open(NodeId from, const FrameOpen& open);
  void on_frame_closed(NodeId from, const FrameClosed& closed);
  void grant_slots();
  std::deque<SlotRequest>::iterator next_request();
  void grant(const SlotRequest& request);
  void begin_unprompted(NodeId from, const FrameKey& key);
  void on_promised(const FrameKey& key, StripId strip, std::optional<CanvasKey> source);
  void count_down(const FrameKey& key, HomeFrame& frame, TileId tile);
  void make_ready(const FrameKey& key, HomeFrame& frame, TileId tile);
  void compute_ready();
  void home_computed(const TileComputed& event);
  void finish_tile(const FrameKey& key, TileId tile, NodeId computed_by, Duration compute_time,
                   const TileContent& content = {});
  void send_strip(const FrameKey& key, const HomeFrame& frame, StripId strip);
  void use_done(const FrameKey& key, HomeFrame& frame, TensorId tensor);
  void close_home(const FrameKey& key);
  void release_home(const FrameKey& key);
  void close_below(NodeId owner, uint64_t life, uint64_t frame);
  void home_lost_owner(NodeId owner);
  void measure(KnownPlan& plan, TileId tile, Duration compute_time);
  HomeFrame* home_frame(const FrameKey& key);  // not closed
  Time deadline_in(Duration time_left) const;
  Time deadline_behind_earlier(const SlotRequest& request) const;
  Urgency urgency(const FrameKey& key, const HomeFrame& frame, TileId tile) const;

  // --- node_victim.cpp ---
  void on_steal_request(NodeId from, const StealRequest& request);
  std::optional<ReadyTile> tile_to_lend(NodeId thief, const StealRequest& request) const;
  bool leaves_an_auditor(const HomeFrame& frame, TileId tile, NodeId thief) const;
  LoanEstimate estimate(const Peer& thief, const ReadyTile& candidate) const;
  void lend(NodeId thief, const ReadyTile& lent);
  void on_lent_output(NodeId from, const Piece& piece);
  void on_given_back(NodeId from, const Failed& failed);
  void hedge();
  bool is_late(const Loan& loan) const;
  void take_back(TileKey key, bool stays);  // by value: the loan that holds it ends
  void void_loans(const FrameKey& key);
  void victim_lost_thief(NodeId thief);

  // --- node_thief.cpp ---
  void ask_for_tile();
  bool has_free_slot() const;
  Duration thief_patience() const;
  std::optional<NodeId> longest_queue() const;
  void on_steal_reply(NodeId from, const StealReply& reply);
  void borrow(NodeId victim, const Assign& assign);
  Borrowed& borrow_from(NodeId victim, const Assign& assign, KnownPlan& plan);
  void give_back(const TileKey& key, const Borrowed& tile, const std::string& why);
  void fill(const TileKey& key, Borrowed& tile);
  void on_lent_input(const Piece& piece);
  void lent_computed(const TileComputed& event);
  void return_outputs(const TileKey& key, Borrowed& tile);
  void output_sent(const TileKey& key);
  void on_voided(NodeId from, const Failed& failed);
  void forget_borrowed(NodeId victim, const std::optional<FrameKey>& frame,
                       const std::optional<TileId>& only = {});
  void give_all_back(const std::string& why);
  void give_back_what_waits(const std::string& why);
  std::map<TileKey, Borrowed>::iterator discard(std::map<TileKey, Borrowed>::iterator entry);
  void release_lent(const TileKey& key, const std::vector<Slice>& slices);

  // --- node_hang.cpp ---
  void begin_watch(const Compute& compute, const KnownPlan& plan);
  bool end_watch(const TileComputed& event);  // false: its result may be wrong
  void watch();
  void suspect(Underway& tile);
  void withdraw(PlanReady answer);  // `plan` is filled in
  void put_self_aside(Answer::Kind kind, const std::string& why);
  void be_ready_again();
  bool hangs() const;
  std::string why_it_hangs(const Underway& tile) const;
  PlanReady at_a_tile(const PlanHash& hash) const;
  std::optional<PlanReady> out_of_order(const PlanHash& hash) const;
  Answer own_answer() const;

  // --- node_packing.cpp ---
  void begin_loading(PlanEntry& entry, LoadPlan order);
  void end_loading(PlanEntry& entry);
  void loading_failed(const PlanHash& hash, const std::string& why);
  void watch_packing();
  void give_up_on_packing(const PlanHash& hash, PlanEntry& entry);
  std::string packing_hangs() const;

  // --- node_weights.cpp ---
  void look_at_weights();
  void on(const WeightsDamaged& event);
  void pack_weights();
  void on(const PackedAgain& event);
  bool may_be_sound_soon() const;
  PlanReady not_sound(const PlanHash& hash) const;
  void refuse_askers(const PlanHash& hash, const PlanEntry& entry);
  bool is_damaged() const;

  // --- node_check.cpp ---
  std::vector<std::string> broken_invariants() const;
  void check_limits(Breaches& breaches) const;
  void check_owned(Breaches& breaches) const;
  void check_tiles(Breaches& breaches) const;
  void check_loans(Breaches& breaches) const;
  bool idle() const;
};

}  // namespace shingle
