// A switched network: every node has one port, each way with its own rate; the switch passes whole
// messages on. Or one medium that all share, one message at a time.
//
//   node --[egress, one message after the other]--> latency --> [ingress, likewise] --> node
//   node --[the medium, one message after the other, whoever sends]--> latency --> node
//
// Connections are ordered, as TCP's: a lost message comes late by the retransmission time, and so
// does all that was sent after it on that connection.
#pragma once

#include <map>

#include "runtime/protocol/message.hpp"
#include "sim/random.hpp"

namespace shingle::sim {

struct NetworkOptions {
  Duration latency = std::chrono::microseconds(200);
  int64_t bytes_per_second = 12'500'000;  // of a port without its own rate; of the medium
  bool one_medium = false;
  double loss = 0.0;  // of a message
  Duration retransmission = std::chrono::milliseconds(200);
};

class Network {
 public:
  Network(NetworkOptions options, uint64_t seed) : options_(options), random_(seed) {}

  void set_rate(NodeId node, int64_t bytes_per_second) { rates_[node] = bytes_per_second; }
  Duration latency() const { return options_.latency; }

  // When a message that is sent now reaches the receiver's port; then when it has passed it.
  Time cross(NodeId from, NodeId to, int64_t bytes, Time now);
  Time enter(NodeId to, int64_t bytes, Time now);

 private:
  Duration transmission(NodeId node, int64_t bytes) const;

  NetworkOptions options_;
  Random random_;
  std::map<NodeId, int64_t> rates_;  // other than the common one
  std::map<NodeId, Time> egress_free_, ingress_free_;
  Time medium_free_{};
  std::map<std::pair<NodeId, NodeId>, Time> last_arrival_;
};

// What a message takes on the wire beside a piece's payload.
int64_t header_bytes(const Message& message);

}  // namespace shingle::sim
