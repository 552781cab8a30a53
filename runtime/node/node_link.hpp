// What waits to be sent to one peer, and how much of it may be on its way.
//
//   waiting, most urgent first        in flight <= credit          taken in by the peer
//   [ piece ][ piece ][ piece ]  -->  [ piece ][ piece ]  -->  acknowledged by pasted_bytes
//
// An urgent strip never waits behind the next frame's crops, because what is not in flight yet is
// always ordered; and what is in flight is bounded by the credit.
#pragma once

#include <cassert>
#include <optional>
#include <set>

#include "runtime/protocol/event.hpp"

namespace shingle {

// The order of tiles and pieces: by deadline, then frame, then block, then place in the block.
struct Urgency {
  Time deadline{};
  FrameKey frame;
  uint32_t block = 0;
  uint64_t order = 0;
  friend auto operator<=>(const Urgency&, const Urgency&) = default;
};

struct Outgoing {
  Urgency urgency;
  Piece piece;
  CanvasKey source;
  Region region;
  int64_t bytes = 0;
};

// What may be on its way from one port: 4 ms of it. More would lie in sockets and switches, where
// nothing more urgent can overtake it; less would leave the wire idle while acknowledgements come.
// As a rate is measured with what is on its way, this grows until its turn-around is 4 ms.
int64_t port_credit_bytes(int64_t bytes_per_second);

class Link {
 public:
  // A new session: nothing waits, nothing is in flight.
  void begin(int64_t credit_bytes, int64_t assumed_bytes_per_second);

  // Pieces of equal urgency leave in the order of `arrival`, which the caller counts over all
  // links.
  void enqueue(Outgoing outgoing, uint64_t arrival);
  bool may_send() const;  // take() would return a piece
  // Its most urgent piece goes before the other's. REQUIRES: neither is empty.
  bool goes_before(const Link& other) const {
    assert(!empty() && !other.empty());
    return *waiting_.begin() < *other.waiting_.begin();
  }
  // The most urgent piece if it may go now; it counts as in flight from here on. A piece larger
  // than the credit goes alone.
  std::optional<Outgoing> take(Time now);
  // False, and nothing changes, if the peer claims more than was sent, or less than before.
  bool acknowledge(uint64_t taken_in_bytes, Time now);

  // Forgets waiting pieces. Those that have left do no harm where they arrive.
  template <class Predicate>
  void drop_if(const Predicate& predicate) {
    std::erase_if(waiting_, [&](const Waiting& waiting) { return predicate(waiting.outgoing); });
  }

  bool empty() const { return waiting_.empty(); }
  bool is_quiet() const { return empty() && in_flight_bytes() == 0; }
  size_t size() const { return waiting_.size(); }
  int64_t credit_bytes() const { return credit_bytes_; }
  uint64_t taken_in_bytes() const { return taken_in_bytes_; }  // by the peer, as it says
  int64_t in_flight_bytes() const { return static_cast<int64_t>(sent_bytes_ - taken_in_bytes_); }
  int64_t bytes_per_second() const { return bytes_per_second_; }  // measured, or assumed
  size_t in_flight_limit_breaches() const;  // 1 if more is in flight than may be

 private:
  struct Waiting {
    Outgoing outgoing;
    uint64_t arrival = 0;
    friend bool operator<(const Waiting& a, const Waiting& b) {
      if (a.outgoing.urgency != b.outgoing.urgency) return a.outgoing.urgency < b.outgoing.urgency;
      return a.arrival < b.arrival;
    }
  };
  void measure(int64_t acknowledged_bytes, Time now);

  uint64_t sent_bytes_ = 0, taken_in_bytes_ = 0;
  int64_t largest_bytes_ = 0;  // of the pieces sent
  int64_t bytes_per_second_ = 0;
  Time busy_since_{};       // something has been in flight since then
  int64_t busy_bytes_ = 0;  // acknowledged since then
  int64_t credit_bytes_ = 0;
  std::set<Waiting> waiting_;
};

}  // namespace shingle
