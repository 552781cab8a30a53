// Peers: the other members of the cluster. Of each: the session with it, what it said last, and
// what waits to be sent to it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "runtime/node/node.hpp"
#include "runtime/node/node_link.hpp"

namespace shingle {

struct Peer {
  bool joined = false;       // both said hello in this session
  bool greeted = false;      // our hello of this session is on its way and not answered yet
  uint32_t session = 0;      // ours
  uint32_t its_session = 0;  // 0: not heard
  uint32_t answered = 0;     // its session that our last hello answered
  Hello hello;
  Time heard{};            // when its last message came
  Duration longest_gap{};  // between its messages; it fades within seconds
  bool silenced = false;   // lost because nothing was heard of it
  // Reports of its sessions: how many since when.
  Time reported_since{};
  uint32_t reported = 0;
  // From its last envelope.
  uint32_t ready = 0, running = 0, picoseconds_per_mac = 0;
  // It may have tiles to lend: its queue grew, or it told of a surplus, since it last refused us.
  bool inviting = false;
  std::set<NodeId> unreachable{};  // homes that it says it has lost
  // What we told it.
  bool telling = false;  // a message to it leaves in this step
  Time told_at{};
  uint64_t taken_in_bytes = 0, told_bytes = 0;
  Link link;
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
  std::string name_of(NodeId node) const;  // for people

  // Each pair of NodeId and Peer, by ascending id.
  auto begin() { return by_id_.begin(); }
  auto end() { return by_id_.end(); }
  auto begin() const { return by_id_.begin(); }
  auto end() const { return by_id_.end(); }

 private:
  const NodeConfig& config_;
  std::map<NodeId, Peer> by_id_;
};

}  // namespace shingle
