// Backlog: how much of what arrived on a connection ZeroMQ still keeps to itself. It collects all
// frames of a message before it hands over the first, so a message without an end takes memory
// without one.
//
//    arrived at this port  =  frames handed over, as long as they were on the wire
//                           + the handshake and heartbeats, which nobody is handed
//                           + the backlog
//
// The first is counted by the kernel, the second by us. The third is what the difference fell to of
// late, whenever something had just been handed over: then nothing waited but what came behind it.
// As long as nothing is handed over it does not grow, so nobody can pass a message off as it.
#pragma once

#include <algorithm>
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

  // On the connection since it began. None where the kernel does not say, or where the descriptor
  // is another's by now.
  std::optional<uint64_t> arrived() const;

  void hand_over(uint64_t bytes) {
    handed_over_ += bytes;
    moved_ = true;
  }
  // What may wait at most. `now` never goes back.
  uint64_t look(uint64_t arrived, Instant now) {
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
  const std::optional<uint64_t> socket_;  // the system's number of it, which is not used again
  uint64_t handed_over_ = 0;
  bool moved_ = false;  // since the last look
  uint64_t least_ = handshake, least_before_ = handshake;
  Instant since_{};
};

}  // namespace shingle
