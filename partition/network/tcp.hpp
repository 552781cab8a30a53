// What TCP itself allows a connection, however free its route is: the congestion window grows from
// its initial size at each round trip, shrinks while the connection is idle, and is limited by the
// buffers and by losses.
//
//   round 1      round 2          round 3
//   ##.......... ####............ ########.........     # sends, . waits for acknowledgements
//   |<- round -->|                                      each round sends twice as much
//      trip
//
// Once the window holds all that the route carries in a round trip, nothing waits any more.
//
// HyStart ends slow start earlier, when the times of acknowledgements tell that the route is full
// (Ha, Rhee: Taming the elephants: new TCP slow start, 2011). From then on CUBIC's window grows
// with the cube of the time, and by a twentieth in a round at least until the first loss. An end
// that came too early makes a connection slower than its route for many rounds.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "partition/base/time.hpp"

namespace shingle {

enum class SlowStart : uint8_t {
  doubling,  // until the window holds what the route carries
  // As ns-3 3.37 does it: HyStart ends it in a round whose acknowledgements take longer than the
  // round trip, and also when a round's first acknowledgement comes within 2 ms of the last one
  // before it, since the begin of the round is renewed only later. Linux repaired this in
  // version 5.6.
  ns3
};

struct TcpOptions {
  int64_t segment_bytes = 1448;            // payload, with time stamps (RFC 7323)
  int64_t initial_segments = 10;           // RFC 6928
  int64_t buffer_bytes = 4 * 1024 * 1024;  // the smaller one of sender's and receiver's
  Duration least_timeout = std::chrono::milliseconds(200);  // Linux, and ns-3 when told so
  // What acknowledgements take of the other direction, per byte of payload. Held against ns-3 3.37
  // on rings of full-duplex links.
  double acknowledgement_share = 0.05;
  int64_t port_buffer_bytes = 256 * 1024;  // of a small switch's port
  SlowStart slow_start = SlowStart::doubling;
  // Packets that a full port's device has taken already and sends before one that comes to its
  // fair queue.
  double taken_packets = 0.0;
};

struct TcpPath {
  Duration round_trip{};
  double loss = 0.0;              // of a segment
  double bytes_per_second = 0.0;  // of the slowest resource
};

// The rate that the buffers and the losses allow; infinite if neither limits it.
// Losses: the larger one of
//   - the response function of standard TCP, W = sqrt(3 / 2p) segments (Mathis, Semke, Mahdavi,
//   Ott:
//     The macroscopic behavior of the TCP congestion avoidance algorithm, 1997);
//   - that of CUBIC, W = (C (3 + b) / (4 (1 - b)) (RTT / p)^3)^(1/4) with C = 0.4 and b = 0.7
//     (RFC 8312, 5.1).
double tcp_rate_limit(const TcpOptions& options, const TcpPath& path);

class CongestionWindow {
 public:
  // `calls`: the sender is the one that opened the connection.
  CongestionWindow(const TcpOptions& options, const TcpPath& path, bool calls = true);

  // The rates of the route have changed. What was learned about it is kept.
  void set_path(const TcpOptions& options, const TcpPath& path);
  // The connection has something to send again. Each timeout of idleness halves the window, down to
  // the initial one (RFC 5681, 4.1; Linux). False: it was not idle for a timeout.
  bool restart(Duration idle);
  // It holds what the route carries in a round trip, so it need not grow any more.
  bool is_open() const { return window_bytes_ >= enough_bytes_; }
  // What may be sent in the next round.
  int64_t bytes() const { return window_bytes_ - unanswered_segments_ * segment_bytes_; }
  // A round has ended, in which `sent` bytes left, the last of them at `last`, `burst` after the
  // first.
  void end_round(int64_t sent, Duration burst, Time last, Time now);
  // Of an open window `bytes` were acknowledged until now. ns-3's grows on.
  void grow_open(double bytes, Time now);
  // What of an open window waits in queues, at this rate.
  double standing_bytes(double bytes_per_nanosecond) const;
  Duration round_trip() const {
    return unanswered_segments_ > 0 ? round_trip_ - second_ : round_trip_;
  }

 private:
  void grow_as_ns3(int64_t sent, Duration burst, Time acknowledged);
  void grow_as_cubic(int64_t segments, Time acknowledged);

  SlowStart slow_start_ = SlowStart::doubling;
  // ns-3's acknowledgements are counted: each is for two segments, but the first one that a caller
  // gets, which is for one. So of an odd number of segments one waits in the window, for the next
  // one or for 40 ms.
  int64_t unanswered_segments_ = 0, counted_segments_ = 0;
  double open_bytes_ = 0.0;    // acknowledged, of the next pair of segments
  bool awaits_first_ = false;  // acknowledgement, for one segment
  // When CUBIC began to grow, and from which window. ns-3 counts the time of idleness too.
  std::optional<Time> cubic_began_;
  int64_t cubic_origin_segments_ = 0;
  int64_t segment_bytes_ = 0, initial_bytes_ = 0, enough_bytes_ = 0, window_bytes_ = 0,
          buffer_bytes_ = 0;
  int64_t threshold_bytes_ = std::numeric_limits<int64_t>::max();  // where slow start ends
  Duration round_trip_{}, timeout_{};
  Duration second_{};  // of the round trip: until the second segment has come
};

}  // namespace shingle
