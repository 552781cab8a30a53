// Effects: the time of a step, and all that the step brings about: actions, messages, pieces,
// reports, counters.
//
//   send()     --> to a peer: an action           to this node: a local queue, which the step
//   transfer() --> to a peer: waits in its link   empties before it ends
//
// A message to this node itself is never handled inside send(), so a call to send() changes no
// record that its caller uses. Pieces leave at the end of the step, the most urgent one of all
// links first.
#pragma once

#include <cassert>
#include <deque>
#include <optional>
#include <string>

#include "runtime/node/invitations.hpp"

namespace shingle {

// What every envelope tells of this node.
struct OwnLoad {
  uint32_t ready_tiles = 0, running_tiles = 0;
  uint64_t closed_below = 0;
  uint32_t picoseconds_per_mac = 0;
};

class Effects {
 public:
  // REQUIRES: all outlive me.
  Effects(const NodeConfig& config, Peers& peers, const Invitations& invitations);

  // REQUIRES: no step is under way, and `now` does not go back. `out` lives until end_step().
  void begin_step(Time now, Actions& out);
  // Writes the envelopes, so that every message of the step tells the state at its end. REQUIRES: a
  // step is under way, and nothing local is left.
  void end_step(const OwnLoad& load);

  Time now() const { return now_; }  // of this step, or of the last one
  NodeCounters& counters() { return counters_; }
  const NodeCounters& counters() const { return counters_; }

  // All below REQUIRES: a step is under way.
  template <class A>
  void act(A action) {
    emplace<A>(std::move(action));
  }
  // The report can be completed until the next call.
  Report& report(Report::Kind kind, const FrameKey& key, NodeId node, std::string sentence = {},
                 const PlanHash& plan = {});
  // To a peer that has not joined: nothing happens. REQUIRES: a member.
  void send(NodeId to, Message message);
  void greet(NodeId to, Hello hello);  // also if it has not joined
  // Drops what was sent to it in this step: it belongs to a session that has just ended, and its
  // envelope could only tell of the next one.
  void unsay(NodeId to);

  // Queues a piece. As send() where the peer has not joined.
  void transfer(NodeId to, Outgoing outgoing);
  // Those that wait for peers. What waits for this node itself finds its frame closed.
  void drop_pieces(const FrameKey& key, Place source);
  // Sends the most urgent piece of all links; none: no piece may leave now. The caller says what
  // follows from it.
  std::optional<Outgoing> send_most_urgent();

  // To this node itself, in their order.
  bool has_local_messages() const { return !local_messages_.empty(); }
  bool has_local() const { return has_local_messages() || !local_pieces_.empty(); }
  std::optional<Message> take_local_message();
  std::optional<Outgoing> take_local_piece();

 private:
  template <class A>
  A& emplace(A action);

  const NodeConfig& config_;
  Peers& peers_;
  const Invitations& invitations_;
  NodeCounters counters_;
  Time now_{};
  Actions* out_ = nullptr;
  size_t first_action_ = 0;  // of this step, in `out_`
  std::deque<Message> local_messages_;
  Link local_pieces_;       // it has no credit limit
  uint64_t transfers_ = 0;  // queued on any link
};

template <class A>
A& Effects::emplace(A action) {
  assert(out_ != nullptr);
  out_->emplace_back(std::in_place_type<A>, std::move(action));
  return *std::get_if<A>(&out_->back());
}

}  // namespace shingle
