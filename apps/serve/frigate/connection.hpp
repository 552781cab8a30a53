// FrigateConnection: one detector that is connected: its socket, what it sent, what it is still to
// take. Everything that it may do has a limit in bytes or in time; an error ends the connection.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "apps/serve/frigate/zmtp.hpp"

namespace shingle::serve {

struct ConnectionTimes {
  std::chrono::milliseconds greeting{5'000};  // until it is ready
  std::chrono::milliseconds message{30'000};  // from a message's first byte to its last
  std::chrono::milliseconds taking{10'000};   // of an answer
};

class FrigateConnection {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  // Takes the descriptor.
  FrigateConnection(int descriptor, Budget& budget, const ConnectionTimes& times, Instant now);
  ~FrigateConnection();
  FrigateConnection(const FrigateConnection&) = delete;
  FrigateConnection& operator=(const FrigateConnection&) = delete;

  int descriptor() const { return descriptor_; }
  // For poll(): a peer that sends ahead waits until its messages are answered and it has taken the
  // answers. So what is held of it is bounded by one read.
  bool wants_to_read() const { return is_at_rest() && !reader_.has_message(); }
  bool wants_to_write() const { return !outgoing_.empty(); }

  // There is a message to be answered, so nothing has to come first.
  bool has_message() const { return is_at_rest() && reader_.has_message(); }

  Status read(Instant now);
  Status write(Instant now);
  // What of its time is over.
  Status check(Instant now) const;
  Instant next() const;  // when check() may say so; far away: it may rest

  // A message to be answered, and when its first byte came: a picture's time to be answered begins
  // there. Until answer() no other is given out.
  struct Arrived {
    ZmtpMessage message;
    Instant begun;
  };
  std::optional<Arrived> next_message();
  void answer(const std::vector<std::string>& frames, Instant now);

 private:
  void send(std::string bytes, Instant now);
  bool is_at_rest() const { return !is_answered_for_ && outgoing_.empty(); }

  const int descriptor_;
  const ConnectionTimes times_;
  ZmtpReader reader_;
  bool is_answered_for_ = false;  // a message of it is under way
  std::string outgoing_;
  const Instant begun_;
  std::optional<Instant> message_since_{}, outgoing_since_{};
  Instant whole_since_{};  // the first byte of the messages that are whole
};

}  // namespace shingle::serve
