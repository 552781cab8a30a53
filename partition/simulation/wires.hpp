// Wires: when a message that a node posts now arrives at another. Part of the simulation of plans.
//
//   post --> [waiting, most urgent first] --credit--> [committed, in order] --port--> [far port]
//   --> arrived
//
// A node has at most its credit of bytes committed, to all others together. So an urgent message
// overtakes those that are not committed yet. A port serves its peers in turn, or in the order of
// committing; a shared medium carries one message at a time, the senders in turn, or in that order.
#pragma once

#include <deque>
#include <queue>
#include <set>

#include "partition/cluster/cluster.hpp"

namespace shingle {

// One queue of everything that will happen, earliest first, in the order of planning among equals.
struct Happening {
  enum class Kind : uint8_t { frame_opens, computed, at_port, arrived, port_free };
  int64_t at_ns = 0;
  uint64_t sequence = 0;
  Kind kind = Kind::computed;
  uint32_t subject = 0;  // frame, tile, message or port
  uint32_t frame = 0;    // computed: of the tile
  friend bool operator>(const Happening& a, const Happening& b) {
    return a.at_ns != b.at_ns ? a.at_ns > b.at_ns : a.sequence > b.sequence;
  }
};

class Agenda {
 public:
  void add(int64_t at_ns, Happening::Kind kind, uint32_t subject, uint32_t frame = 0) {
    queue_.push({at_ns, sequence_++, kind, subject, frame});
  }
  bool empty() const { return queue_.empty(); }
  Happening take() {
    const Happening next = queue_.top();
    queue_.pop();
    return next;
  }

 private:
  std::priority_queue<Happening, std::vector<Happening>, std::greater<>> queue_;
  uint64_t sequence_ = 0;
};

inline constexpr uint32_t no_strip = UINT32_MAX;

struct WireMessage {
  uint32_t from = 0, to = 0;
  uint32_t frame = 0, strip = no_strip;
  uint32_t block = 0;        // urgency, after the frame
  int64_t bytes = 0;         // payload
  int64_t acknowledged = 0;  // of what went the other way
};

inline constexpr int64_t message_header_bytes = 128;
// What a node keeps under way (runtime/node/node_link.hpp): 4 ms at the rate of its fastest link.
int64_t committed_credit_bytes(double ns_per_byte);

class Wires {
 public:
  Wires(const Cluster& cluster, Agenda& agenda);  // both must outlive it

  void post(const WireMessage& message);
  // At once: no credit holds it back.
  void send(const WireMessage& message, int64_t now_ns);
  // The same without payload and strip.
  void tell(uint32_t from, uint32_t to, int64_t now_ns, int64_t acknowledged = 0);
  // Moves everything that the credit allows onto the wires, the most urgent first, and says what; a
  // receiver counts for at most half of the credit, as in the runtime. To be called after a burst
  // of posts. The answer lives until the next call.
  const std::vector<uint32_t>& pump(uint32_t from, int64_t now_ns);
  const WireMessage& message(uint32_t id) const { return messages_[id]; }
  void at_port(uint32_t message, int64_t now_ns);
  void port_free(uint32_t port, int64_t now_ns);
  // A piece is acknowledged at once, and what arrives as an acknowledgement raises the credit of
  // the node that it comes to: pump that.
  WireMessage arrived(uint32_t message, int64_t now_ns);

  int64_t round_trip_ns(uint32_t a, uint32_t b) const;  // of two empty messages

 private:
  struct Waiting {
    uint64_t urgency = 0, arrival = 0;
    uint32_t message = 0;
    friend auto operator<=>(const Waiting&, const Waiting&) = default;
  };
  struct Port {
    double ns_per_byte = 0.0;
    int64_t latency_ns = 0;
    int64_t egress_free_ns = 0, ingress_free_ns = 0;
    bool busy = false;                // fair sharing: something leaves
    std::vector<uint32_t> receivers;  // for whom something waits
    int64_t credit_bytes = 0, in_flight_bytes = 0;
    size_t committed = 0;
    uint32_t last_served = 0;
  };

  struct Lane {  // from one port to another
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
    std::vector<uint32_t> committed;  // those before `served` have left
    size_t served = 0;
    int64_t in_flight_bytes = 0;
    double bytes_per_second = 0.0;  // as the sender has measured it
    int64_t busy_since_ns = 0, busy_bytes = 0;
  };

  Lane& lane(uint32_t from, uint32_t to) { return lanes_[from * ports_.size() + to]; }
  std::optional<uint32_t> most_urgent(uint32_t from);
  void count_in_flight(uint32_t from, uint32_t to, int64_t bytes);
  void acknowledged(uint32_t from, uint32_t to, int64_t bytes, int64_t now_ns);
  void measure(uint32_t from, uint32_t to, int64_t bytes, int64_t now_ns);
  void update_credit(uint32_t from);
  int64_t passing_ns(double ns_per_byte, uint32_t message) const;
  void commit(uint32_t message, int64_t now_ns);
  void serve(uint32_t from, int64_t now_ns);
  void serve_medium(int64_t now_ns);
  uint32_t next_of(uint32_t from);

  Agenda& agenda_;
  const PortSharing sharing_;
  std::optional<double> medium_ns_per_byte_;
  bool medium_busy_ = false;
  int64_t medium_free_ns_ = 0;  // in the order of committing
  uint32_t last_sender_ = 0;
  std::vector<Port> ports_;
  std::vector<Lane> lanes_;  // by pair of ports
  std::vector<WireMessage> messages_;
  std::vector<uint32_t> left_;  // what pump() has just moved
};

}  // namespace shingle
