// Node: one member of the cluster as a pure function. step() takes an event, changes the node's
// state and appends actions; it never blocks, reads no clock, opens nothing, starts no thread,
// throws nothing, logs nothing.
//
//     loop:  event = inbox.wait(until the last WakeAt)
//            node.step(clock.now(), event, actions)
//            for each action: carry it out
//
// An interpreter is this loop: runtime/driver runs it in real time, sim/cluster in virtual time.
//
// A node has three roles, often at once: *owner* of the frames that it captured, *home* of the
// tiles that the plan gave it, and *thief* of tiles that a busier peer (the *victim*) lends.
#pragma once

#include <algorithm>
#include <memory>

#include "runtime/protocol/event.hpp"

namespace shingle {

enum class DropPolicy : uint8_t { drop_oldest, refuse_newest };

// `beat_every` where all nodes share one medium, for example Wi-Fi: each beat takes time from all
// of them. The beats of six nodes every 100 ms, with their headers, are 6 % of 12.5 Mb/s. Three of
// these longer beats still fit into the shortest silence that is allowed on such a medium.
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
  // A peer whose messages come with gaps may be silent for twice the longest recent gap: at least
  // `silence_allowed`, at most this.
  Duration most_silence_allowed = std::chrono::milliseconds(400);
  // How long a frame waits for a slot of a home that is ready and computes nothing. It waits for
  // `first_tile_allowed` if the home computes, because other frames may take as long.
  Duration slot_awaited = std::chrono::seconds(60);
  // How long a home may take to say that it is ready for a plan. Then frames on it are aborted.
  Duration answer_awaited = std::chrono::seconds(30);
  size_t plans = max_plans;  // kept loaded: 2 to `max_plans`; see most_proposals()
  uint32_t attempts = 8;     // at one frame, if homes are lost again and again; then it is aborted
  // A node that was lost may start again. So long wait frames that no other node could compute.
  Duration return_awaited = std::chrono::seconds(5);
  // A node that was unable to do its part of a plan is asked again after this time.
  Duration unfit_for = std::chrono::seconds(5);
  // A tile hangs if its computing takes longer than this, and longer than eight times what such
  // tiles take. The time is counted in beats of this node, so that a pause of the whole process
  // does not count.
  Duration hang_allowed = std::chrono::milliseconds(300);
  // As above, for a tile about whose time nothing is known yet. Slow boards take minutes for a
  // network.
  Duration first_tile_allowed = std::chrono::minutes(10);
  // Packing the weights of a plan, or of a tile before it begins, hangs if it takes longer than
  // this, counted as above. Slow cards take half a minute to read 200 MB.
  Duration packing_allowed = std::chrono::minutes(2);
  // Within this time all packed weights are checked once, piece by piece; zero: never.
  Duration weights_looked_through = std::chrono::minutes(1);
  double audit_share = 0.0;  // of this owner's tiles: another node computes them once more
  // How many tiles this node audits at once, and how many bytes they may keep in canvases. It
  // refuses audits beyond either.
  uint32_t audits_held = 32;
  int64_t audit_bytes = int64_t{64} << 20;
  uint32_t steal_keep = 0;  // ready tiles that a victim never lends, even where it would pay
  int64_t link_bytes_per_second = 12'500'000;  // assumed of a link until it has been measured
  bool steals = true;
};

// Of the plans that a node keeps loaded, so many may be proposed by its own program at once. The
// rest of the table is for stand-ins and for other owners' plans.
constexpr size_t most_proposals(const NodeLimits& limits) {
  return limits.plans - std::max<size_t>(1, limits.plans / 3);
}

struct NodeConfig {
  NodeId id;
  uint64_t life = 1;  // drawn by each process, so that no other process of this node has the same
  std::string name;
  std::string arithmetic_class;
  std::vector<NodeId> members;  // the cluster's, this node included
  NodeLimits limits{};
  uint64_t seed = 0;  // ties between equal victims
};

struct NodeCounters {
  uint64_t tiles_computed = 0, tiles_lent = 0, tiles_stolen = 0, steal_requests = 0;
  uint64_t tiles_hedged = 0;  // lent, late, and taken back to be computed at home
  uint64_t frames_delivered = 0, frames_dropped = 0, frames_aborted = 0;
  uint64_t frames_reissued = 0;                    // attempts beyond the first
  uint64_t tiles_audited = 0, tiles_disputed = 0;  // of this owner: compared; of these: different
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
  // step. Empty after a step that could break nothing, because its beat said nothing new.
  std::vector<std::string> broken_invariants() const;

  // When a beat matters that tells of no tile, of no payload taken in and of no frame closed since
  // its sender's last message. Usually the node then does no more than note when it came, so a
  // simulation may give it to the node later: with its own time, and before any other event.
  struct Attention {
    bool at_any_event = false;    // the next event may make it act, whatever it is
    size_t away = 0;              // so many peers have not joined; it greets one that it hears
    uint64_t sessions_ended = 0;  // so far
  };
  Attention attention() const;
  bool is_joined(NodeId peer) const;  // both have said hello

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shingle
