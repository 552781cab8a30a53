// HomeFrames: the frames of which this node is a home: their slots, strips, tiles and canvases.
//
//   FrameOpen -> request -> slot granted -> strips arrive -> tile ready -> computed -> strips leave
//                                                               |             ^
//                                                               '--> lent ----'   (lending.hpp)
//
// A closed frame stays until its running tiles are done: its canvases are in use.
#pragma once

#include <array>
#include <deque>

#include "runtime/node/plans.hpp"
#include "runtime/node/tiles/compute_speed.hpp"
#include "runtime/node/tiles/loans.hpp"
#include "runtime/node/tiles/ready_queue.hpp"

namespace shingle {

enum class TileState : uint8_t { foreign, waiting, ready, running, lent, done, failed };
using TileCounts = std::array<size_t, 7>;  // by state
struct HomeTile {
  TileState state = TileState::foreign;
  bool stays = false;  // a thief failed at it: it is not lent again
  int32_t missing = 0;
  uint32_t attempt = 0;
};
struct HomeAudit {
  std::vector<NodeId> auditors;   // in the owner's order
  std::optional<NodeId> asked{};  // it may have begun
};
struct HomeFrame {
  KnownPlan* plan = nullptr;
  Time deadline{};
  bool due = false;     // somebody set that deadline
  bool closed = false;  // only running tiles keep it
  uint32_t running = 0;
  uint32_t waiting = 0;         // tiles that miss something
  std::vector<HomeTile> tiles;  // by tile
  std::vector<bool> arrived;    // by strip
  std::vector<int32_t> users;   // by canvas of this node: uses still to come
  std::map<TileId, HomeAudit> audits;
  std::set<NodeId> excluded;  // nobody lends them tiles of this frame
};
struct SlotRequest {
  FrameKey key;
  PlanHash plan;
  Time deadline{};
  bool due = false;
  std::vector<TileAudit> audits;
  std::vector<NodeId> excluded;
};

class HomeFrames {
 public:
  // REQUIRES: all outlive me.
  HomeFrames(const NodeConfig& config, const Peers& peers, Plans& plans, ReadyQueue& ready,
             Loans& loans, Effects& effects);

  // --- questions ---
  const HomeFrame* find(const FrameKey& key) const { return find_in(frames_, key); }
  const HomeFrame* find_open(const FrameKey& key) const;  // null: not here, or closed
  HomeFrame& at(const FrameKey& key);                     // REQUIRES: here
  const HomeFrame& at(const FrameKey& key) const;
  bool idle() const { return frames_.empty() && requests_.empty(); }
  bool has_request_of(NodeId owner) const;
  bool uses(const PlanHash& plan) const;
  bool holds_below(NodeId owner, uint64_t number) const;  // a frame of this owner
  Invitations::Party party() const;                       // of all frames here, this node too
  Time last_granted() const { return last_granted_; }
  // For how long a pause between its tiles is usual here.
  Duration usual_pause() const;
  Urgency urgency(const FrameKey& key, const HomeFrame& frame, TileId tile) const;

  // --- slots (home_slots.cpp) ---
  void open(NodeId from, const FrameOpen& open);
  void close(const FrameKey& key);
  // The owner's watermark: what it no longer has open needs no slot here.
  void close_below(NodeId owner, uint64_t number);
  void lost_owner(NodeId owner);

  // --- tiles (home_frames.cpp) ---
  // Tiles that wait for nothing: no strip would begin them.
  void begin_unprompted(NodeId from, const FrameKey& key);
  void take_strip(const FrameKey& key, StripId strip, std::optional<CanvasKey> source);
  void make_ready(const FrameKey& key, HomeFrame& frame, TileId tile);
  // The tile is being computed here from now on. REQUIRES: it was ready, and has left the queue.
  Compute begin(const ReadyTile& tile);
  void computed(const TileComputed& event, ComputeSpeed& speed);  // REQUIRES: begin() with it
  // Its output lies in the home canvas, whoever computed it.
  void finish(const FrameKey& key, TileId tile, NodeId computed_by, Duration compute_time,
              const TileContent& content = {});
  // A strip or a window has left: one use less of its canvas. Nothing happens if the frame is
  // closed.
  void piece_left(const FrameKey& key, TensorId tensor);

  // --- audits (home_audits.cpp) ---
  // As soon as it is known who computes the tile, so that the auditor does at the same time. Once,
  // also if the tile comes back from a thief. False: nobody audits it.
  bool request_audit(const FrameKey& key, HomeFrame& frame, TileId tile, NodeId computer);
  // Whoever audits a tile must not compute it as well.
  bool leaves_an_auditor(const HomeFrame& frame, TileId tile, NodeId thief) const;
  void lost_auditor(NodeId auditor);

  // Returns how many tiles of open frames are in each state.
  TileCounts check(Breaches& breaches) const;
  size_t running() const;

 private:
  void grant_slots();
  std::deque<SlotRequest>::iterator next_request();
  void grant(const SlotRequest& request);
  Time deadline_behind_earlier(const SlotRequest& request) const;
  HomeFrame* open_frame(const FrameKey& key);  // null: not here, or closed
  void count_down(const FrameKey& key, HomeFrame& frame, TileId tile);
  void send_strip(const FrameKey& key, const HomeFrame& frame, StripId strip);
  void use_done(const FrameKey& key, HomeFrame& frame, TensorId tensor);
  void release(const FrameKey& key);
  std::optional<NodeId> auditor_beside(const HomeAudit& audit, NodeId computer) const;
  void give_audit_up(const FrameKey& key, HomeFrame& frame, TileId tile);
  void void_audits(const FrameKey& key, const HomeFrame& frame);

  const NodeConfig& config_;
  const Peers& peers_;
  Plans& plans_;
  ReadyQueue& ready_;
  Loans& loans_;
  Effects& effects_;
  std::map<FrameKey, HomeFrame> frames_;
  std::deque<SlotRequest> requests_;
  Time last_granted_ = Time::min();  // a slot
};

// When a frame is due. The limit on `time_left` keeps sums of times in range.
Time deadline_in(Time now, Duration time_left);

}  // namespace shingle
