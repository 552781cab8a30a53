#include "partition/simulation/wires.hpp"

#include <algorithm>

namespace shingle {
namespace {

// The same minimum as for measured rates in runtime/node_link.
constexpr int64_t least_measured_bytes = 8 * 1024, least_measured_ns = 4'000'000;

double ns_per_byte(double mbps) { return 8000.0 / (mbps > 1e-6 ? mbps : 1e-6); }

}  // namespace

int64_t committed_credit_bytes(double ns_per_byte) {
  return static_cast<int64_t>(std::clamp(4e6 / ns_per_byte, 16.0 * 1024, 1024.0 * 1024));
}

Wires::Wires(const Cluster& cluster, Agenda& agenda) : agenda_(agenda), sharing_(cluster.sharing) {
  if (cluster.medium_mbps) medium_ns_per_byte_ = ns_per_byte(*cluster.medium_mbps);
  Port outside;  // an owner that is not in the cluster; as fast as the fastest node
  double fastest = 0.0;
  for (const ClusterNode& node : cluster.nodes) {
    Port port;
    port.ns_per_byte = ns_per_byte(node.link_mbps);
    port.latency_ns = static_cast<int64_t>(std::clamp(node.link_latency_us, 0.0, 1e9) * 1000.0);
    ports_.push_back(port);
    if (node.link_mbps > fastest) fastest = node.link_mbps, outside = port;
  }
  if (fastest <= 0.0) outside.ns_per_byte = ns_per_byte(fastest);
  ports_.push_back(outside);
  for (Port& port : ports_)
    port.credit_bytes = committed_credit_bytes(medium_ns_per_byte_.value_or(port.ns_per_byte));
  lanes_.resize(ports_.size() * ports_.size());
  for (size_t i = 0; i < lanes_.size(); ++i)
    lanes_[i].bytes_per_second =
        1e9 / medium_ns_per_byte_.value_or(ports_[i / ports_.size()].ns_per_byte);
}

int64_t Wires::passing_ns(double ns_per_byte, uint32_t message) const {
  return static_cast<int64_t>(ns_per_byte *
                              static_cast<double>(messages_[message].bytes + message_header_bytes));
}

int64_t Wires::round_trip_ns(uint32_t a, uint32_t b) const {
  const double rate = medium_ns_per_byte_.value_or(ports_[a].ns_per_byte + ports_[b].ns_per_byte);
  return ports_[a].latency_ns + ports_[b].latency_ns +
         static_cast<int64_t>(2.0 * rate * static_cast<double>(message_header_bytes));
}

void Wires::post(const WireMessage& message) {
  const auto id = static_cast<uint32_t>(messages_.size());
  messages_.push_back(message);
  const uint64_t urgency = (uint64_t{message.frame} << 32) | message.block;
  auto& waiting = lane(message.from, message.to).waiting;
  if (waiting.empty()) ports_[message.from].receivers.push_back(message.to);
  waiting.push({urgency, id, id});
}

void Wires::send(const WireMessage& message, int64_t now_ns) {
  const auto id = static_cast<uint32_t>(messages_.size());
  messages_.push_back(message);
  commit(id, now_ns);
}

void Wires::tell(uint32_t from, uint32_t to, int64_t now_ns, int64_t acknowledged) {
  send({.from = from, .to = to, .acknowledged = acknowledged}, now_ns);
}

const std::vector<uint32_t>& Wires::pump(uint32_t from, int64_t now_ns) {
  Port& port = ports_[from];
  left_.clear();
  while (port.in_flight_bytes < port.credit_bytes) {
    const std::optional<uint32_t> to = most_urgent(from);
    if (!to) break;
    auto& waiting = lane(from, *to).waiting;
    const uint32_t next = waiting.top().message;
    waiting.pop();
    if (waiting.empty()) std::erase(port.receivers, *to);
    Lane& one = lane(from, *to);
    if (one.in_flight_bytes == 0) one.busy_since_ns = now_ns, one.busy_bytes = 0;
    count_in_flight(from, *to, messages_[next].bytes);
    commit(next, now_ns);
    left_.push_back(next);
  }
  return left_;
}

// The most urgent of the receivers that have used less than a whole credit.
std::optional<uint32_t> Wires::most_urgent(uint32_t from) {
  const Port& port = ports_[from];
  std::optional<uint32_t> best;
  for (uint32_t to : port.receivers) {
    const Lane& one = lane(from, to);
    if (one.in_flight_bytes >= port.credit_bytes) continue;
    if (!best || one.waiting.top() < lane(from, *best).waiting.top()) best = to;
  }
  return best;
}

void Wires::count_in_flight(uint32_t from, uint32_t to, int64_t bytes) {
  Port& port = ports_[from];
  int64_t& in_flight = lane(from, to).in_flight_bytes;
  const int64_t most = port.credit_bytes / 2;
  port.in_flight_bytes -= std::min(in_flight, most);
  in_flight += bytes;
  port.in_flight_bytes += std::min(in_flight, most);
}

// The sender's node measures its links. If several receivers share its port, the measured rate is
// less than the port's.
void Wires::acknowledged(uint32_t from, uint32_t to, int64_t bytes, int64_t now_ns) {
  measure(from, to, bytes, now_ns);
  count_in_flight(from, to, -bytes);
}

void Wires::measure(uint32_t from, uint32_t to, int64_t bytes, int64_t now_ns) {
  Lane& one = lane(from, to);
  one.busy_bytes += bytes;
  const int64_t elapsed_ns = now_ns - one.busy_since_ns;
  if (one.busy_bytes < least_measured_bytes || elapsed_ns < least_measured_ns) return;
  const double sample = static_cast<double>(one.busy_bytes) * 1e9 / static_cast<double>(elapsed_ns);
  one.bytes_per_second = std::clamp(0.75 * one.bytes_per_second + 0.25 * sample, 1.0, 1e12);
  one.busy_since_ns = now_ns;
  one.busy_bytes = 0;
  update_credit(from);
}

// The credit is proportional to the rate of the fastest link, as in the runtime.
void Wires::update_credit(uint32_t from) {
  double fastest = 0.0;
  for (uint32_t other = 0; other + 1 < ports_.size(); ++other)
    if (other != from) fastest = std::max(fastest, lane(from, other).bytes_per_second);
  Port& port = ports_[from];
  port.credit_bytes = committed_credit_bytes(1e9 / fastest);
  port.in_flight_bytes = 0;
  for (uint32_t other = 0; other < ports_.size(); ++other)
    port.in_flight_bytes += std::min(lane(from, other).in_flight_bytes, port.credit_bytes / 2);
}

void Wires::commit(uint32_t id, int64_t now_ns) {
  const WireMessage& message = messages_[id];
  Port& port = ports_[message.from];
  if (sharing_ == PortSharing::in_order) {
    int64_t& free_ns = medium_ns_per_byte_ ? medium_free_ns_ : port.egress_free_ns;
    const double rate = medium_ns_per_byte_.value_or(port.ns_per_byte);
    free_ns = std::max(free_ns, now_ns) + passing_ns(rate, id);
    const auto next = medium_ns_per_byte_ ? TimedEvent::Kind::arrived : TimedEvent::Kind::at_port;
    agenda_.add(free_ns + port.latency_ns, next, id);
    return;
  }
  lane(message.from, message.to).committed.push_back(id);
  ++port.committed;
  if (medium_ns_per_byte_) {
    if (!medium_busy_) serve_medium(now_ns);
  } else if (!port.busy) {
    serve(message.from, now_ns);
  }
}

// The first message to the peer whose turn it is.
uint32_t Wires::next_of(uint32_t from) {
  Port& port = ports_[from];
  const auto count = static_cast<uint32_t>(ports_.size());
  uint32_t to = (port.last_served + 1) % count;
  while (lane(from, to).served == lane(from, to).committed.size()) to = (to + 1) % count;
  port.last_served = to;
  --port.committed;
  Lane& next = lane(from, to);
  return next.committed[next.served++];
}

void Wires::serve(uint32_t from, int64_t now_ns) {
  Port& port = ports_[from];
  port.busy = port.committed > 0;
  if (!port.busy) return;
  const uint32_t id = next_of(from);
  agenda_.add(now_ns + port.latency_ns, TimedEvent::Kind::at_port, id);
  agenda_.add(now_ns + passing_ns(port.ns_per_byte, id), TimedEvent::Kind::port_free, from);
}

void Wires::serve_medium(int64_t now_ns) {
  const auto count = static_cast<uint32_t>(ports_.size());
  for (uint32_t i = 1; i <= count; ++i) {
    const uint32_t from = (last_sender_ + i) % count;
    if (ports_[from].committed == 0) continue;
    last_sender_ = from;
    const uint32_t id = next_of(from);
    medium_busy_ = true;
    const int64_t free_ns = now_ns + passing_ns(*medium_ns_per_byte_, id);
    agenda_.add(free_ns + ports_[from].latency_ns, TimedEvent::Kind::arrived, id);
    agenda_.add(free_ns, TimedEvent::Kind::port_free, from);
    return;
  }
  medium_busy_ = false;
}

void Wires::port_free(uint32_t port, int64_t now_ns) {
  medium_ns_per_byte_ ? serve_medium(now_ns) : serve(port, now_ns);
}

// in_order: the switch has the whole message, which enters the far port now. fair: its first byte
// enters now, and its last byte arrives when the near port has sent it, at the earliest.
void Wires::at_port(uint32_t id, int64_t now_ns) {
  const WireMessage& message = messages_[id];
  Port& far = ports_[message.to];
  far.ingress_free_ns = std::max(far.ingress_free_ns, now_ns) + passing_ns(far.ns_per_byte, id);
  int64_t arrival_ns = far.ingress_free_ns;
  if (sharing_ == PortSharing::fair) {
    arrival_ns = std::max(arrival_ns, now_ns + passing_ns(ports_[message.from].ns_per_byte, id));
  }
  agenda_.add(arrival_ns, TimedEvent::Kind::arrived, id);
}

WireMessage Wires::arrived(uint32_t id, int64_t now_ns) {
  const WireMessage message = messages_[id];
  if (message.acknowledged > 0)
    acknowledged(message.to, message.from, message.acknowledged, now_ns);
  if (message.bytes > 0) tell(message.to, message.from, now_ns, message.bytes);
  return message;
}

}  // namespace shingle
