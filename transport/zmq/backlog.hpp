// Backlog: how much of what arrived on a connection ZeroMQ still holds. ZeroMQ collects all frames
// of a message before it hands over the first, so a message without an end would take memory
// without limit.
//
//    bytes arrived  =  frames handed over, with their overhead on the wire
//                    + the handshake and heartbeats, which are never handed over
//                    + the backlog
//
// The kernel counts the bytes that arrived, we count the frames. For the handshake and heartbeats
// we take the smallest difference of the two counts in the last one to two minutes, measured only
// when a message has just been handed over: then the backlog is nearly empty. While nothing is
// handed over this allowance does not grow, so no sender can hide a message in it.
#pragma once

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstdint>
#include <optional>

namespace shingle {

// A frame of ZMTP 3 on the wire; `encrypted`: as CURVE wraps it (RFC 26: command, nonce, box).
inline uint64_t wire_bytes(uint64_t frame_bytes, bool encrypted) {
  const uint64_t body = frame_bytes + (encrypted ? 33 : 0);
  return body + (body <= 255 ? 2 : 9);
}

class Backlog {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  // Of a connection that has just begun.
  explicit Backlog(int descriptor);

  // Bytes on the connection since it began. None where the kernel does not say, or where the
  // descriptor belongs to another connection now.
  std::optional<uint64_t> arrived() const;
  // Packets that TCP has sent again since then: they, or their acknowledgements, were lost or late.
  std::optional<uint64_t> sent_again() const;

  void hand_over(uint64_t bytes) {
    handed_over_ += bytes;
    moved_ = true;
  }
  // The most that may wait. REQUIRES: `now` is not before an earlier one.
  uint64_t look(uint64_t arrived, Instant now) {
    assert(now >= since_);
    const uint64_t rest = arrived - std::min(arrived, handed_over_);
    if (moved_) learn(rest, now);
    moved_ = false;
    return rest - std::min(rest, std::min(least_, least_before_));
  }

 private:
  static constexpr uint64_t handshake = 4096;  // at most
  static constexpr std::chrono::seconds period{60};

  void learn(uint64_t rest, Instant now) {
    if (now - since_ >= period) {
      least_before_ = since_ == Instant{} ? handshake : least_;
      least_ = rest;
      since_ = now;
    }
    least_ = std::min(least_, rest);
  }

  const int descriptor_;
  const std::optional<uint64_t> socket_;  // its inode, which tells it from a later one
  uint64_t handed_over_ = 0;
  bool moved_ = false;  // since the last look
  uint64_t least_ = handshake, least_before_ = handshake;
  Instant since_{};
};

}  // namespace shingle
