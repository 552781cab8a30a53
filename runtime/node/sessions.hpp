// Sessions: how this node and a peer greet each other, and how long a peer may be silent.
//
//   away -- begin() --> greeted -- its Hello answers ours --> joined -- end() --> away
//
// Wires and machines stutter. A peer whose recent messages came with long gaps may be silent for
// longer before it counts as lost.
#pragma once

#include "runtime/node/effects.hpp"

namespace shingle {

class Sessions {
 public:
  // REQUIRES: all outlive me.
  Sessions(const NodeConfig& config, Peers& peers, Effects& effects);

  // Says hello under a new number. REQUIRES: it has not joined.
  void begin(NodeId id);
  // The session's second half: this Hello says nothing new.
  bool is_current(NodeId from, const Hello& hello) const;
  // Answers it if need be. True: the peer has joined by it. REQUIRES: it had not joined.
  bool greeted_by(NodeId from, const Hello& hello);
  // What every message of a session tells, whatever it is. REQUIRES: it has joined.
  void hear(const MessageReceived& event);
  // Reports it, with the sentence. REQUIRES: it has joined.
  void end(NodeId id, const std::string& sentence);

  Duration silence_allowed(const Peer& peer) const;

 private:
  void say_hello(NodeId id, Peer& peer);
  void join(NodeId id, Peer& peer);
  void report(Report::Kind kind, NodeId id, std::string sentence = {});
  void note_gap(Peer& peer);
  bool has_only_stuttered(const Peer& peer) const;

  const NodeConfig& config_;
  Peers& peers_;
  Effects& effects_;
};

}  // namespace shingle
