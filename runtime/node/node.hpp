// Node: one member of the cluster as a pure function. step() takes an event, changes the node's
// state and appends actions; it never blocks, reads no clock, opens nothing, starts no thread,
// throws nothing, logs nothing.
//
//     loop:  event = inbox.wait(until the last WakeAt)
//            node.step(clock.now(), event, actions)
//            for each action: carry it out
//
// That loop is all there is to an interpreter: runtime/driver runs it in real time, sim/cluster in
// virtual time.
//
// A node plays three parts, often at once: *owner* of the frames that it captured, *home* of the
// tiles that the plan gave it, and *thief* of tiles that a busier peer lends.
#pragma once

#include <memory>

#include "runtime/protocol/event.hpp"

namespace shingle {

enum class DropPolicy : uint8_t { drop_oldest, refuse_newest };

// On one medium everybody's beats take the time of all: six nodes' beats every 100 ms are 6 %
// of 12.5 Mb/s, with what wires add to them. Still three within the shortest silence that is
// allowed.
inline constexpr Duration beat_on_medium = std::chrono::milliseconds(400);

struct NodeLimits {
  uint32_t compute_slots = 1;   // tiles at a time; 0: an owner that never computes
  uint32_t open_frames = 2;     // of this owner, at once
  uint32_t waiting_frames = 2;  // captured, not yet open; beyond it `drop` applies
  DropPolicy drop = DropPolicy::drop_oldest;
  // Frames (of all owners) that this home holds at once; more wait for a slot, one per owner.
  uint32_t frame_slots = frames_at_home;
  int64_t link_credit_bytes = 256 * 1024;  // payload in flight to one peer
  Duration beat_every = std::chrono::milliseconds(100);
  Duration silence_allowed = std::chrono::milliseconds(400);  // then the peer counts as lost
  // A peer whose words come with gaps may be silent for twice the longest of late, this at most
  // (and silence_allowed at least).
  Duration most_silence_allowed = std::chrono::milliseconds(400);
  // A home that says it is ready, computes nothing, and has given a frame no slot by then. One that
  // computes has `first_tile_allowed`: others' frames may take as long.
  Duration slot_awaited = std::chrono::seconds(60);
  // A home that has not said by then that it is ready for a plan: frames on it are aborted.
  Duration answer_awaited = std::chrono::seconds(30);
  size_t plans = max_plans;  // kept loaded: 2 to `max_plans`; of them proposed here: two thirds
  uint32_t attempts = 8;     // at one frame whose homes are lost, one after the other; then it ends
  // A node that was lost may be starting anew: frames that nobody else could compute wait for it.
  Duration return_awaited = std::chrono::seconds(5);
  // A node that was unable to do its part of a plan is asked again after this time.
  Duration unfit_for = std::chrono::seconds(5);
  // A tile that has been computed for so long, and for eight times what such tiles take, hangs. In
  // beats of `beat_every` while this node itself runs, so a pause of the whole process is none.
  Duration hang_allowed = std::chrono::milliseconds(300);
  // As above, of a tile about whose time nothing is known yet: slow boards take minutes for a
  // network.
  Duration first_tile_allowed = std::chrono::minutes(10);
  // What is packed for so long, in beats as above, hangs: weights of a plan, or of a tile that its
  // slot has not begun. Slow cards take half a minute to read 200 MB.
  Duration packing_allowed = std::chrono::minutes(2);
  // Within this time all packed weights are looked at once, piece by piece; zero: never.
  Duration weights_looked_through = std::chrono::minutes(1);
  double audit_share = 0.0;  // of this owner's tiles that another node computes once more
  // Tiles that this node computes once more for others, at once, and what they may keep in
  // canvases; beyond either it has no opinion.
  uint32_t audits_held = 32;
  int64_t audit_bytes = int64_t{64} << 20;
  uint32_t steal_keep = 0;  // ready tiles that a victim never lends, even where it would pay
  int64_t link_bytes_per_second = 12'500'000;  // assumed of a link until it has been measured
  bool steals = true;
};

struct NodeConfig {
  NodeId id;
  uint64_t life = 1;  // drawn: no other process that was ever this node has the same
  std::string name;
  std::string arithmetic_class;
  std::vector<NodeId> members;  // the cluster's, this node included
  NodeLimits limits{};
  uint64_t seed = 0;  // ties between equal victims
};

struct NodeCounters {
  uint64_t tiles_computed = 0, tiles_lent = 0, tiles_stolen = 0, steal_requests = 0;
  uint64_t tiles_hedged = 0;  // lent, late, and computed at home after all
  uint64_t frames_delivered = 0, frames_dropped = 0, frames_aborted = 0;
  uint64_t frames_reissued = 0;                    // attempts beyond the first
  uint64_t tiles_audited = 0, tiles_disputed = 0;  // as an owner: compared; of these: different
  uint64_t payload_bytes_sent = 0, payload_bytes_received = 0;
  uint64_t messages_refused = 0;  // malformed or out of protocol: counted, never acted on
};

class Node {
 public:
  explicit Node(NodeConfig config);
  ~Node();
  Node(Node&&) noexcept;
  Node& operator=(Node&&) noexcept;

  // Appends to `out`. REQUIRES: `now` does not go back.
  void step(Time now, const Event& event, Actions& out);

  const NodeCounters& counters() const;
  bool idle() const;  // no frame waiting or open, nothing queued, running or unsent

  // What must always hold; one sentence for each breach. For tests and simulation, after every
  // step.
  std::vector<std::string> broken_invariants() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shingle
