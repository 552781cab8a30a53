// A switched network: each node has one port, which sends and receives at the same time; the switch
// forwards whole messages. Or one medium that all nodes share and that carries one message at a
// time.
//
//   node --[egress, one message after the other]--> latency --> [ingress, likewise] --> node
//   node --[the medium, one message after the other, whoever sends]--> latency --> node
//
// Connections keep their order, as TCP does: a lost message is late by the retransmission time, and
// so are all messages that were sent after it on the same connection.
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

  // cross(): when a message that is sent now reaches the receiver's port. enter(): when a message
  // that reaches the port now has been received.
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

// The bytes of a message on the wire, without the payload of a piece.
int64_t header_bytes(const Message& message);

}  // namespace shingle::sim
