// Wires: the sender's side of the simulated network: which message leaves next, and how much may be
// on its way. Part of the simulation of plans.
//
//   post --> [waiting, most urgent first] --credit--> network --> arrived --> acknowledged
//
// A node's credit limits the bytes that it has in flight to all other nodes together, so an urgent
// message overtakes all that have not left yet. The network itself is a FluidNetwork.
#pragma once

#include <queue>

#include "partition/simulation/cluster_network.hpp"

namespace shingle {

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
int64_t committed_credit_bytes(double bytes_per_second);

class Wires {
 public:
  explicit Wires(const Cluster& cluster);

  void post(const WireMessage& message);
  // Sends a message without payload at once, without regard to the credit.
  void tell(uint32_t from, uint32_t to, Time now, int64_t acknowledged = 0);
  // Sends all messages that the credit allows, the most urgent first, and returns them. A receiver
  // counts for at most half of the credit, as in the runtime. To be called after a group of posts.
  // The result is valid until the next call.
  const std::vector<uint32_t>& pump(uint32_t from, Time now);
  const WireMessage& message(uint32_t id) const { return messages_[id]; }

  Time next_change() { return network_.next_change(); }  // as FluidNetwork
  // The messages that arrive up to now, valid until the next call. Each must be taken in.
  const std::vector<NetworkArrival>& advance(Time now);
  // The message has arrived. A message with payload is acknowledged at once. An arriving
  // acknowledgement frees credit of its receiver, so call pump() for that node.
  WireMessage take_in(const NetworkArrival& arrival);

  Duration round_trip(uint32_t a, uint32_t b) const;  // of two messages without payload

 private:
  struct Waiting {
    uint64_t urgency = 0;
    uint32_t message = 0;  // those of equal urgency in the order of posting
    friend auto operator<=>(const Waiting&, const Waiting&) = default;
  };
  struct Receiver {  // one with waiting messages
    Waiting first;
    uint32_t to = 0;
  };
  struct Sender {
    std::vector<Receiver> receivers;
    int64_t credit_bytes = 0, in_flight_bytes = 0;
    double fastest = 0.0;  // bytes per second of its fastest lane
  };
  struct Lane {  // from one sender to another
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
    int64_t in_flight_bytes = 0;
    double bytes_per_second = 0.0;  // measured by the sender
    Time busy_since{};
    int64_t busy_bytes = 0;
  };

  Lane& lane(uint32_t from, uint32_t to) { return lanes_[from * senders_.size() + to]; }
  void send(uint32_t message, Time now);
  Receiver* most_urgent(uint32_t from);  // null: none may be sent to
  void count_in_flight(uint32_t from, uint32_t to, int64_t bytes);
  void acknowledged(uint32_t from, uint32_t to, int64_t bytes, Time now);
  void measure(uint32_t from, uint32_t to, int64_t bytes, Time now);
  void update_credit(uint32_t from);

  FluidNetwork network_;
  std::vector<Sender> senders_;
  std::vector<Lane> lanes_;  // by pair of senders
  std::vector<WireMessage> messages_;
  std::vector<uint32_t> left_;  // what the last pump() sent
  std::vector<NetworkArrival> arrivals_;
};

}  // namespace shingle
