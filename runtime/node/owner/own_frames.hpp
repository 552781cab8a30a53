// OwnFrames: frames of this node, from capture to delivery.
//
//   captured -> waiting -> opening (homes asked one after the other) -> running -> complete -> gone
//                             ^                    |                      |
//                             +----- suspended <---+---- a home is lost --+
//
// Frames of one model keep their order, whatever plans they are for. A frame that cannot be opened
// yet holds up those behind it: they could not be delivered before it, and would keep the places
// that it needs. Other models' frames pass it.
//
// Homes are asked in ascending order, each after the one before has granted, so frames that share
// homes never hold what the other waits for. Of each model one frame opens at a time, and each home
// is asked for one slot at a time.
//
// A frame survives any node but its owner. One that loses a home is closed everywhere and begun
// again as the next attempt, from the picture that its owner still has, on a stand-in. What an
// earlier attempt may still bring carries its number and concerns a closed frame. Once the wanted
// plan is ready again, the next frame opens on it.
#pragma once

#include "partition/base/dice.hpp"
#include "runtime/node/owner/own_audits.hpp"
#include "runtime/node/owner/stand_ins.hpp"
#include "runtime/node/tiles/home_frames.hpp"

namespace shingle {

class Breaches;

struct OwnedFrame {
  enum class Stage : uint8_t { waiting, opening, running, complete, suspended };
  Stage stage = Stage::waiting;
  ModelHash model;            // frames of one model are opened and delivered in their order
  PlanHash wanted;            // captured for
  PlanHash hash;              // of this attempt: that one, or a stand-in for it
  uint32_t attempt = 0;       // from 0
  KnownPlan* plan = nullptr;  // from opening on
  Time captured{}, deadline{};
  Time opened{};                // this attempt
  size_t granted = 0;           // homes, in ascending order
  std::optional<Time> asked{};  // the next one, for a slot
  Time home_at_work{};          // that home was last seen to compute, or was asked
  Time progressed{};            // running: when something of it was last heard
  std::vector<bool> arrived;    // by strip
  size_t missing = 0;           // outcome strips
  std::vector<bool> done;       // by tile
  OwnAudits audits;
  std::optional<Time> outcome_here{};  // all of it, so only audits are waited for

  bool is_under_way() const { return stage == Stage::opening || stage == Stage::running; }
  bool is_asking() const { return stage == Stage::opening && asked; }
  NodeId next_home() const;  // REQUIRES: opening
};

class OwnFrames {
 public:
  // REQUIRES: all outlive me.
  OwnFrames(const NodeConfig& config, const Peers& peers, const Health& health, Plans& plans,
            HomeFrames& homes, Offers& offers, const Heirs& heirs, StandIns& stand_ins,
            Effects& effects);

  // --- questions ---
  const OwnedFrame* find(const FrameKey& key) const;  // null: not of the attempt at hand
  bool empty() const { return frames_.empty(); }
  bool has_frames(const PlanHash& plan) const;
  uint64_t closed_below() const;  // all frames below it are complete or gone

  // --- frames (own_frames.cpp) ---
  void capture(const FrameCaptured& event);
  void open_next();  // and asks the next homes
  void granted(NodeId from, const FrameKey& key);
  void take_outcome(const FrameKey& key, StripId strip, std::optional<CanvasKey> source);
  void done(const Done& done);
  void abort_hopeless();  // frames for which nothing can be opened

  // --- attempts (own_attempts.cpp) ---
  void suspend_all(const PlanHash& plan, const std::string& why);  // that are under way on it
  void failed_at_home(NodeId from, const Failed& failed);
  void lost_home(NodeId home, const std::string& why);
  // Frames leave a home that hangs as soon as another can do its tiles.
  void leave_the_hung();
  void give_up_waiting();  // with every beat: for slots, tiles, audits

  // --- audits (own_frame_audits.cpp) ---
  void take_result(NodeId from, const AuditResult& result);
  void lost_auditor(NodeId auditor);

  void check(Breaches& breaches) const;

 private:
  using Stage = OwnedFrame::Stage;

  FrameKey key_of(uint64_t frame) const;                             // its name: attempt 0
  FrameKey key_of(uint64_t frame, const OwnedFrame& attempt) const;  // of the attempt at hand
  OwnedFrame* frame_of(const FrameKey& key);
  size_t waiting_frames() const;
  size_t open_frames() const { return frames_.size() - waiting_frames(); }
  void drop_surplus();
  void open(uint64_t number, OwnedFrame& frame, const PlanHash& plan);
  void ask_next_homes();
  FrameOpen opening_for(const FrameKey& key, const OwnedFrame& frame, NodeId home) const;
  void start(const FrameKey& key, OwnedFrame& frame);
  void complete_if_all_is_here(const FrameKey& key, OwnedFrame& frame);
  void complete(const FrameKey& key, OwnedFrame& frame);
  void deliver_in_order();
  void abort(uint64_t number, const std::string& why);
  void close_at_homes(const FrameKey& key, const OwnedFrame& frame, bool aborted);

  void suspend(uint64_t number, const std::string& why);
  const Answer* hung_home(const OwnedFrame& frame) const;
  void give_up_waiting_for_slots();
  void give_up_waiting_for_slot(uint64_t number, const OwnedFrame& frame);
  void give_up_waiting_for_tiles();
  void give_up_waiting_for_tile(uint64_t number, const OwnedFrame& frame);
  std::pair<NodeId, std::string> held_up_by(const OwnedFrame& frame) const;

  void draw_audits(uint64_t number, OwnedFrame& frame);
  std::vector<NodeId> auditors(const OwnedFrame& frame, const Tile& tile, Dice& dice) const;
  void hear_content(const Done& done, OwnedFrame& frame);
  bool may_still_claim(const OwnedFrame& frame, NodeId node) const;
  void compare(uint64_t number, OwnedFrame& frame, TileId tile);
  void dispute(uint64_t number, OwnedFrame& frame, TileId tile, const OwnAudits::Both& both);
  void end_audit(uint64_t number, OwnedFrame& frame, TileId tile);
  void give_up_waiting_for_audits();
  void distrust(NodeId node, const std::string& why);
  void check_frame(const OwnedFrame& frame, Breaches& breaches) const;

  const NodeConfig& config_;
  const Peers& peers_;
  const Health& health_;
  Plans& plans_;
  HomeFrames& homes_;  // this node's own, which may be one of a frame's homes
  Offers& offers_;
  const Heirs& heirs_;
  StandIns& stand_ins_;
  Effects& effects_;
  std::map<uint64_t, OwnedFrame> frames_;  // ascending
  uint64_t next_frame_ = 0;
};

}  // namespace shingle
