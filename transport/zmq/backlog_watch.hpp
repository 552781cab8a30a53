// BacklogWatch: the backlogs of all connections of a switchboard, by descriptor. It finds those
// that send a message without an end: more than 64 MiB from a member, more than 1 MiB from a
// stranger. ZeroMQ itself sets no limit to the number of frames in a message.
//
// Belongs to the sockets' thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "transport/zmq/backlog.hpp"

namespace shingle {

class BacklogWatch {
 public:
  using Instant = Backlog::Instant;

  // A connection has just begun. It replaces an earlier one with this descriptor.
  void begin(int descriptor);
  void end(int descriptor);  // nothing happens if it is not watched
  void hand_over(int descriptor, uint64_t bytes);
  std::optional<uint64_t> sent_again(int descriptor) const;  // Backlog::sent_again()

  // True if it is time for the next look, 20 ms after the last one.
  bool is_due(Instant now) const { return now >= next_look_; }
  // One look: the connections that exceed their limit; they stay watched. Examines all members and
  // some of the strangers, so that thousands of strangers do not slow the members down.
  // REQUIRES: is_due(now).
  std::vector<int> endless(Instant now, const std::set<int>& members);

 private:
  std::map<int, Backlog> backlogs_;
  int next_stranger_ = 0;  // the descriptor at which the next look at strangers begins
  Instant next_look_{};
};

}  // namespace shingle
