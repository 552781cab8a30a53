// Wires: computes when a message that a node posts now arrives at another node. Part of the
// simulation of plans.
//
//   post --> [waiting, most urgent first] --credit--> [committed, in order] --port--> [far port]
//        --> arrived
//
// A node's credit limits the bytes that it has committed to all other nodes together, so an urgent
// message overtakes all that are not committed yet. A port serves its peers in turn, or in the
// order of commitment. A shared medium carries one message at a time: one sender after the other,
// or in the order of commitment.
#pragma once

#include <deque>
#include <queue>
#include <set>

#include "partition/base/time.hpp"
#include "partition/cluster/cluster.hpp"

namespace shingle {

// An event of the simulation. They are taken in the order of their times; equal ones in the order
// in which they were added.
struct TimedEvent {
  enum class Kind : uint8_t { frame_opens, computed, at_port, arrived, port_free };
  Time at{};
  uint64_t sequence = 0;
  Kind kind = Kind::computed;
  uint32_t subject = 0;  // index of a frame, tile, message or port
  uint32_t frame = 0;    // of the tile (computed only)
  friend bool operator>(const TimedEvent& a, const TimedEvent& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
};

class Agenda {
 public:
  void add(Time at, TimedEvent::Kind kind, uint32_t subject, uint32_t frame = 0) {
    queue_.push({at, sequence_++, kind, subject, frame});
  }
  bool empty() const { return queue_.empty(); }
  TimedEvent take() {
    const TimedEvent next = queue_.top();
    queue_.pop();
    return next;
  }

 private:
  std::priority_queue<TimedEvent, std::vector<TimedEvent>, std::greater<>> queue_;
  uint64_t sequence_ = 0;
};

inline constexpr uint32_t no_strip = UINT32_MAX;

struct WireMessage {
  uint32_t from = 0, to = 0;
  uint32_t frame = 0, strip = no_strip;
  uint32_t block = 0;        // part of the urgency, after the frame
  int64_t bytes = 0;         // payload
  int64_t acknowledged = 0;  // bytes received in the other direction that this message acknowledges
};

inline constexpr int64_t message_header_bytes = 128;
// Bytes that a node may have in flight (runtime/node/node_link.hpp): 4 ms at the rate of its
// fastest link.
int64_t committed_credit_bytes(double ns_per_byte);

class Wires {
 public:
  Wires(const Cluster& cluster, Agenda& agenda);  // both must outlive this object

  void post(const WireMessage& message);
  // Sends at once, without regard to the credit.
  void send(const WireMessage& message, Time now);
  // The same without payload and strip.
  void tell(uint32_t from, uint32_t to, Time now, int64_t acknowledged = 0);
  // Commits all messages that the credit allows, the most urgent first, and returns them. A
  // receiver counts for at most half of the credit, as in the runtime. To be called after a group
  // of posts. The result is valid until the next call.
  const std::vector<uint32_t>& pump(uint32_t from, Time now);
  const WireMessage& message(uint32_t id) const { return messages_[id]; }
  void at_port(uint32_t message, Time now);
  void port_free(uint32_t port, Time now);
  // A message with payload is acknowledged at once. An arriving acknowledgement frees credit of its
  // receiver, so call pump() for that node.
  WireMessage arrived(uint32_t message, Time now);

  Duration round_trip(uint32_t a, uint32_t b) const;  // of two messages without payload

 private:
  struct Waiting {
    uint64_t urgency = 0, arrival = 0;
    uint32_t message = 0;
    friend auto operator<=>(const Waiting&, const Waiting&) = default;
  };
  struct Port {
    double ns_per_byte = 0.0;
    Duration latency{};
    Time egress_free{}, ingress_free{};
    bool busy = false;                // fair sharing: the port is sending
    std::vector<uint32_t> receivers;  // those with waiting messages
    int64_t credit_bytes = 0, in_flight_bytes = 0;
    size_t committed = 0;
    uint32_t last_served = 0;
  };

  struct Lane {  // from one port to another
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
    std::vector<uint32_t> committed;  // those before index `served` have left the port
    size_t served = 0;
    int64_t in_flight_bytes = 0;
    double bytes_per_second = 0.0;  // measured by the sender
    Time busy_since{};
    int64_t busy_bytes = 0;
  };

  Lane& lane(uint32_t from, uint32_t to) { return lanes_[from * ports_.size() + to]; }
  std::optional<uint32_t> most_urgent(uint32_t from);
  void count_in_flight(uint32_t from, uint32_t to, int64_t bytes);
  void acknowledged(uint32_t from, uint32_t to, int64_t bytes, Time now);
  void measure(uint32_t from, uint32_t to, int64_t bytes, Time now);
  void update_credit(uint32_t from);
  Duration passing_time(double ns_per_byte, uint32_t message) const;
  void commit(uint32_t message, Time now);
  void serve(uint32_t from, Time now);
  void serve_medium(Time now);
  uint32_t next_of(uint32_t from);

  Agenda& agenda_;
  const PortSharing sharing_;
  std::optional<double> medium_ns_per_byte_;
  bool medium_busy_ = false;
  Time medium_free_{};  // for messages in the order of commitment
  uint32_t last_sender_ = 0;
  std::vector<Port> ports_;
  std::vector<Lane> lanes_;  // by pair of ports
  std::vector<WireMessage> messages_;
  std::vector<uint32_t> left_;  // what the last pump() committed
};

}  // namespace shingle
