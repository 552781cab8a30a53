// Node::State: the parts of a node, and what passes between them. Each part keeps its fields
// private, and refers only to parts above it in this list. What concerns several parts is decided
// in Node::State.
//
//   peers, invitations       the other nodes; which of them are told of tiles that wait here
//   effects                  what a step brings about
//   sessions, beats          greetings, silence, time
//   speed, weights, health   this node's own executor
//   ready                    tiles that can be computed
//   plans                    plans that are held here, own ones and others'
//   home                     frames that are at home here: loans, slots and tiles, lending
//   borrowing                tiles of other homes
//   owner                    offers, heirs, stand-ins, own frames, proposals
//   door                     which messages are let in
#pragma once

#include "runtime/node/beats.hpp"
#include "runtime/node/door.hpp"
#include "runtime/node/owner/proposals.hpp"
#include "runtime/node/tiles/borrowing.hpp"
#include "runtime/node/tiles/lending.hpp"

namespace shingle {

struct HomePart {
  Loans loans;
  HomeFrames frames;
  Lending lending;
};

struct OwnerPart {
  Offers offers;
  Heirs heirs;
  StandIns stand_ins;
  OwnFrames frames;
  Proposals proposals;
};

struct Node::State {
  explicit State(NodeConfig node_config);

  NodeConfig config;
  Peers peers;
  SpareNodes spares;
  Invitations invitations;
  Effects effects;
  Sessions sessions;
  Beats beats;
  ComputeSpeed speed;
  Weights weights;
  Health health;
  ReadyQueue ready;
  Plans plans;
  HomePart home;
  Borrowing borrowing;
  OwnerPart owner;
  Door door;
  bool only_heard = false;  // the last step did nothing else

  // --- node.cpp: messages, and what ends every step ---
  bool says_nothing_new(const Event& event) const;
  void hear(const MessageReceived& event);
  void on(const MessageReceived& event);
  void refuse(const MessageReceived& event, const std::string& why);
  void handle(NodeId from, const Message& message);
  void on_grant(NodeId from, const FrameKey& key);
  void on_frame_closed(NodeId from, const FrameKey& key);
  void on_failed(NodeId from, const Failed& failed);
  void on_piece(NodeId from, const Piece& piece, std::optional<CanvasKey> source);
  void on_promised(const FrameKey& key, StripId strip, std::optional<CanvasKey> source);
  void settle();
  void keep_time();
  void drain();
  void compute_ready();
  void sent(const Outgoing& outgoing);
  bool idle() const;

  // --- node_peers.cpp: peers that come and go, and time that passes ---
  void on(const PeerSeen& event);
  void on(const PeerLost& event);
  void on_hello(NodeId from, const Hello& hello);
  void lose(NodeId id, const std::string& why);
  void lose_the_silent();
  void on(const Woken&);
  void beat();

  // --- node_plans.cpp: plans proposed, offered, loaded, given up ---
  void on(const PlanProposed& event);
  void on(const PlanWithdrawn& event);
  void on(const PlanLoaded& event);
  void on_plan_offer(NodeId from, const PlanOffer& offer);
  void propose(const PlanHash& plan);
  void propose_stand_ins();
  void loading_failed(const PlanLoaded& event);
  void give_up_on_packing();
  void drop_withdrawn();
  bool hold(const PlanHash& plan);  // false: no room
  bool in_use(const PlanHash& plan) const;

  // --- node_executor.cpp: tiles computed, hangs, damaged weights ---
  void on(const FrameCaptured& event);
  void on(const TileBegun& event);
  void on(const TileComputed& event);
  void on(const WeightsDamaged& event);
  void on(const PackedAgain& event);
  void take_computed(const TileComputed& event);
  void watch_tiles();
  void suspect(const Underway& tile, bool hung_before);
  void ready_again();

  // --- node_check.cpp: what must always hold ---
  std::vector<std::string> broken_invariants() const;
  void check_limits(Breaches& breaches) const;
  void check_sums(const TileCounts& home_tiles, Breaches& breaches) const;
};

}  // namespace shingle
