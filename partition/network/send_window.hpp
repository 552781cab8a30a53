// SendWindow: how many bytes a sender may have on their way, one acknowledgement after the other.
// CongestionWindow (tcp.hpp) counts rounds on a route whose length is known. This one learns from
// the acknowledgements that a simulation of frames delivers.
//
//   slow start: each acknowledged segment makes the window one segment larger, until HyStart ends
//   it then: 20 acknowledged segments make it one larger (CUBIC before its first loss)
#pragma once

#include <algorithm>
#include <limits>

#include "partition/network/tcp.hpp"

namespace shingle {

struct Acknowledgement {
  Time at{};
  Duration round_trip{};        // of a segment that it covers; zero: sent again, so nobody knows
  int64_t segments = 0;         // that it covers
  int64_t up_to = 0, sent = 0;  // bytes of the stream: acknowledged, and sent so far
};

class SendWindow {
 public:
  // `handshake`: the first round trip.
  SendWindow(const TcpOptions& options, Duration handshake)
      : is_ns3_(options.slow_start == SlowStart::ns3),
        segment_bytes_(options.segment_bytes),
        initial_bytes_(options.initial_segments * options.segment_bytes),
        most_bytes_(options.buffer_bytes),
        window_bytes_(initial_bytes_),
        smoothed_(handshake),
        deviation_(handshake / 2),
        least_timeout_(std::min(options.least_timeout, usual_timeout)) {}

  int64_t bytes() const { return window_bytes_; }
  void take(const Acknowledgement& acknowledgement);
  // Each timeout of idleness halves it, down to the initial window (RFC 5681, 4.1; Linux).
  void restart(Duration idle, Duration timeout);
  // How long to wait for an acknowledgement (RFC 6298). Duration::max(): for ever. In a cell
  // nothing is lost, so each timeout is a false one; Linux takes it back (RFC 5682), ns-3 does not.
  Duration timeout() const;
  void time_out();  // begins again with one segment

 private:
  static constexpr Duration usual_timeout = std::chrono::milliseconds(200);

  void measure(Duration round_trip);
  void look_for_end(const Acknowledgement& acknowledgement);

  struct Round {
    int64_t end = 0;  // what was sent when it began
    Time began{}, last_in_train{};
    Duration round_trip{};  // the least one of the first samples
    int samples = 0;
    bool has_ended_slow_start = false;
  };

  bool is_ns3_ = false;
  int64_t segment_bytes_ = 0, initial_bytes_ = 0, most_bytes_ = 0, window_bytes_ = 0;
  int64_t threshold_bytes_ = std::numeric_limits<int64_t>::max();  // where slow start ends
  int64_t counted_segments_ = 0;                                   // since the last growth
  Duration smoothed_{}, deviation_{}, least_timeout_{};            // of round trips
  Duration least_round_trip_ = Duration::max();
  int timeouts_ = 0;  // since the last measured round trip
  Round round_;
};

}  // namespace shingle
