// Peers: the other members of the cluster. Of each: the session with it, what it said last, and
// what waits to be sent to it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/node/node.hpp"
#include "runtime/node/node_link.hpp"

namespace shingle {

// What each message of the peer touches comes first: a large cluster has millions of these.
struct Peer {
  bool joined = false;   // both said hello in this session
  bool telling = false;  // a message to it leaves in this step
  // It may have tiles to lend: its queue grew, or it told of a surplus, since it last refused us.
  bool inviting = false;
  bool greeted = false;   // our hello of this session is on its way and not answered yet
  bool silenced = false;  // lost because nothing was heard of it
  bool invited = false;   // to ask this node for tiles
  // From its last envelope.
  uint32_t ready = 0, running = 0, picoseconds_per_mac = 0;
  uint32_t surplus = 0;    // its ready tiles, as Peers ranks it; 0: it is not ranked
  Time heard{};            // when its last message came
  Duration longest_gap{};  // between its messages; it fades within seconds
  // What we told it.
  Time told_at{};
  uint64_t taken_in_bytes = 0, told_bytes = 0;
  Link link;
  Hello hello;
  uint32_t session = 0;      // ours
  uint32_t its_session = 0;  // 0: not heard
  uint32_t answered = 0;     // its session that our last hello answered
  // Reports of its sessions: how many since when.
  uint32_t reported = 0;
  Time reported_since{};
  std::set<NodeId> unreachable{};  // homes that it says it has lost
};

class Peers {
 public:
  // REQUIRES: `config` outlives me.
  explicit Peers(const NodeConfig& config);

  Peer* find(NodeId node);  // null: this node itself, or no member
  const Peer* find(NodeId node) const;
  Peer& at(NodeId node);  // REQUIRES: another member
  const Peer& at(NodeId node) const;

  bool is_member(NodeId node) const;        // this node included
  bool is_joined(NodeId node) const;        // false for this node
  bool is_away(NodeId node) const;          // another member that has not joined
  bool is_partner(const Peer& peer) const;  // it may lend tiles to this node, or borrow them
  bool all_links_empty() const;
  size_t count() const { return by_id_.size(); }  // of the other members
  std::string name_of(NodeId node) const;         // for people

  // Peers whom few steps concern, so that a step need not look at all of them. Each list is
  // ascending, and may hold peers that are not concerned any more.
  std::set<NodeId> with_pieces;  // their link has waiting pieces, or some in flight
  std::set<NodeId> unthanked;    // payload came from them that was not acknowledged yet
  // Of the partners that are inviting, and told of more ready tiles than a node keeps for itself,
  // the one with the most. Equal ones are ranked otherwise by each node. REQUIRES: note_surplus()
  // after each change of what this depends on.
  std::optional<NodeId> longest_queue() const;
  void note_surplus(NodeId node);
  // Who has joined. REQUIRES: note_joined() after each change.
  struct Joined {
    size_t away = 0;       // so many have not
    uint64_t endings = 0;  // of sessions, so far
  };
  const Joined& joined() const { return joined_; }
  void note_joined(bool has_joined);
  // Bytes per second, of those that have joined; 0: nobody has. REQUIRES: note_rates() after each
  // change of a rate, and of who has joined.
  int64_t fastest_link();
  void note_rates() { fastest_link_.reset(); }

  // Each pair of NodeId and Peer, by ascending id.
  auto begin() { return by_id_.begin(); }
  auto end() { return by_id_.end(); }
  auto begin() const { return by_id_.begin(); }
  auto end() const { return by_id_.end(); }

 private:
  size_t place_of(NodeId node) const;  // in by_id_; its size: none

  const NodeConfig& config_;
  struct Surplus {
    uint32_t ready = 0;
    uint64_t lot = 0;
    NodeId node;
    friend auto operator<=>(const Surplus&, const Surplus&) = default;
  };
  std::set<Surplus> surpluses_;
  Joined joined_;
  std::optional<int64_t> fastest_link_;         // none: not known any more
  std::vector<std::pair<NodeId, Peer>> by_id_;  // ascending; the same members for ever
};

}  // namespace shingle
