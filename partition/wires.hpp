// Wires: when a message that a node posts now arrives at another. Part of the simulation of plans.
//
//   post --> [waiting, most urgent first] --window--> [committed, in order] --port--> [far port]
//   --> arrived
//
// Between two nodes at most a window of bytes is committed, so what is urgent overtakes what is not
// committed yet. A port serves its peers in turn, or in the order of committing; a shared medium
// carries one message at a time, the senders in turn, or in that order.
#pragma once

#include <deque>
#include <queue>
#include <set>

#include "partition/cluster.hpp"

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
  uint32_t block = 0;  // urgency, after the frame
  int64_t bytes = 0;   // payload
};

inline constexpr int64_t message_header_bytes = 128;
inline constexpr int64_t wire_window_bytes = 256 * 1024;

class Wires {
 public:
  Wires(const Cluster& cluster, Agenda& agenda);  // both must outlive it

  void post(const WireMessage& message);
  // Without payload, strip or window: at once.
  void tell(uint32_t from, uint32_t to, int64_t now_ns);
  // Moves everything that the windows allow onto the wires; to be called after a burst of posts.
  void pump(uint32_t from, int64_t now_ns);
  void at_port(uint32_t message, int64_t now_ns);
  void port_free(uint32_t port, int64_t now_ns);
  const WireMessage& arrived(uint32_t message);  // opens the window again: pump the sender then

  int64_t round_trip_ns(uint32_t a, uint32_t b) const;  // of two empty messages

 private:
  struct Waiting {
    uint64_t urgency = 0, arrival = 0;
    uint32_t message = 0;
    friend auto operator<=>(const Waiting&, const Waiting&) = default;
  };
  struct Pair {
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
    std::deque<uint32_t> committed;
    int64_t in_flight_bytes = 0;
  };
  struct Port {
    double ns_per_byte = 0.0;
    int64_t latency_ns = 0;
    int64_t egress_free_ns = 0, ingress_free_ns = 0;
    bool busy = false;   // fair sharing: something leaves
    size_t waiting = 0;  // messages posted but not committed
    size_t committed = 0;
    uint32_t last_served = 0;
  };

  Pair& pair(uint32_t from, uint32_t to) { return pairs_[from * ports_.size() + to]; }
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
  std::vector<Pair> pairs_;
  std::vector<WireMessage> messages_;
};

}  // namespace shingle
