#include "partition/simulation/wires.hpp"

#include <algorithm>

namespace shingle {
namespace {

// The same minimum as for measured rates in runtime/node_link.
constexpr int64_t least_measured_bytes = 8 * 1024;
constexpr Duration least_measured = std::chrono::milliseconds(4);

// Nothing that a plan's simulation sends is lost, so nothing is drawn.
constexpr uint64_t no_seed = 0;

// A search simulates hundreds of plans. Acknowledgements make YOLOv2's frame 0.02 % later on eight
// boards and 0.8 % on 64, but they couple the rates of both directions of all ports, which makes
// simulations of 64 boards almost twice as slow.
constexpr TcpOptions without_acknowledgements{.acknowledgement_share = 0.0};

}  // namespace

int64_t committed_credit_bytes(double bytes_per_second) {
  return static_cast<int64_t>(std::clamp(0.004 * bytes_per_second, 16.0 * 1024, 1024.0 * 1024));
}

Wires::Wires(const Cluster& cluster)
    : network_(network_of(cluster), without_acknowledgements, no_seed),
      senders_(cluster.nodes.size() + 1) {
  lanes_.resize(senders_.size() * senders_.size());
  for (size_t from = 0; from < senders_.size(); ++from) {
    const NetworkTopology& network = network_.topology();
    const double rate = network.resources[network.hosts[from].up.resource].bytes_per_second;
    senders_[from].credit_bytes = committed_credit_bytes(rate);
    senders_[from].fastest = rate;
    for (size_t to = 0; to < senders_.size(); ++to)
      lanes_[from * senders_.size() + to].bytes_per_second = rate;
  }
}

Duration Wires::round_trip(uint32_t a, uint32_t b) const {
  return network_.small_time(a, b, message_header_bytes) +
         network_.small_time(b, a, message_header_bytes);
}

void Wires::post(const WireMessage& message) {
  const auto id = static_cast<uint32_t>(messages_.size());
  messages_.push_back(message);
  const uint64_t urgency = (uint64_t{message.frame} << 32) | message.block;
  auto& waiting = lane(message.from, message.to).waiting;
  std::vector<Receiver>& receivers = senders_[message.from].receivers;
  const Waiting added{urgency, id};
  if (waiting.empty()) {
    receivers.push_back({added, message.to});
  } else if (added < waiting.top()) {
    std::ranges::find(receivers, message.to, &Receiver::to)->first = added;
  }
  waiting.push(added);
}

void Wires::tell(uint32_t from, uint32_t to, Time now, int64_t acknowledged) {
  messages_.push_back({.from = from, .to = to, .acknowledged = acknowledged});
  send(static_cast<uint32_t>(messages_.size() - 1), now);
}

void Wires::send(uint32_t id, Time now) {
  const WireMessage& message = messages_[id];
  network_.send(message.from, message.to, message.bytes + message_header_bytes, id, now);
}

const std::vector<uint32_t>& Wires::pump(uint32_t from, Time now) {
  Sender& sender = senders_[from];
  left_.clear();
  while (sender.in_flight_bytes < sender.credit_bytes) {
    Receiver* const receiver = most_urgent(from);
    if (receiver == nullptr) break;
    const uint32_t next = receiver->first.message, to = receiver->to;
    Lane& one = lane(from, to);
    one.waiting.pop();
    if (one.waiting.empty()) {
      *receiver = sender.receivers.back();
      sender.receivers.pop_back();
    } else {
      receiver->first = one.waiting.top();
    }
    if (one.in_flight_bytes == 0) one.busy_since = now, one.busy_bytes = 0;
    count_in_flight(from, to, messages_[next].bytes);
    send(next, now);
    left_.push_back(next);
  }
  return left_;
}

// The most urgent of the receivers that have used less than a whole credit.
Wires::Receiver* Wires::most_urgent(uint32_t from) {
  Sender& sender = senders_[from];
  Receiver* best = nullptr;
  for (Receiver& receiver : sender.receivers) {
    if (best != nullptr && best->first < receiver.first) continue;
    if (lane(from, receiver.to).in_flight_bytes < sender.credit_bytes) best = &receiver;
  }
  return best;
}

void Wires::count_in_flight(uint32_t from, uint32_t to, int64_t bytes) {
  Sender& sender = senders_[from];
  int64_t& in_flight = lane(from, to).in_flight_bytes;
  const int64_t most = sender.credit_bytes / 2;
  sender.in_flight_bytes -= std::min(in_flight, most);
  in_flight += bytes;
  sender.in_flight_bytes += std::min(in_flight, most);
}

const std::vector<NetworkArrival>& Wires::advance(Time now) {
  arrivals_.clear();
  network_.advance(now, arrivals_);
  return arrivals_;
}

WireMessage Wires::take_in(const NetworkArrival& arrival) {
  const WireMessage message = messages_[arrival.cargo];
  if (message.acknowledged > 0)
    acknowledged(message.to, message.from, message.acknowledged, arrival.at);
  if (message.bytes > 0) tell(message.to, message.from, arrival.at, message.bytes);
  return message;
}

// The sender's node measures its links. If several receivers share its port, the measured rate is
// less than the port's.
void Wires::acknowledged(uint32_t from, uint32_t to, int64_t bytes, Time now) {
  measure(from, to, bytes, now);
  count_in_flight(from, to, -bytes);
}

void Wires::measure(uint32_t from, uint32_t to, int64_t bytes, Time now) {
  Lane& one = lane(from, to);
  one.busy_bytes += bytes;
  const Duration elapsed = now - one.busy_since;
  if (one.busy_bytes < least_measured_bytes || elapsed < least_measured) return;
  const double sample = static_cast<double>(one.busy_bytes) * 1e9 / in_nanoseconds(elapsed);
  const double before = one.bytes_per_second, fastest = senders_[from].fastest;
  one.bytes_per_second = std::clamp(0.75 * before + 0.25 * sample, 1.0, 1e12);
  one.busy_since = now;
  one.busy_bytes = 0;
  if (before >= fastest || one.bytes_per_second > fastest) update_credit(from);
}

// The credit is proportional to the rate of the fastest link, as in the runtime.
void Wires::update_credit(uint32_t from) {
  double fastest = 0.0;
  for (uint32_t other = 0; other + 1 < senders_.size(); ++other)
    if (other != from) fastest = std::max(fastest, lane(from, other).bytes_per_second);
  Sender& sender = senders_[from];
  sender.fastest = fastest;
  sender.credit_bytes = committed_credit_bytes(fastest);
  sender.in_flight_bytes = 0;
  for (uint32_t other = 0; other < senders_.size(); ++other)
    sender.in_flight_bytes += std::min(lane(from, other).in_flight_bytes, sender.credit_bytes / 2);
}

}  // namespace shingle
