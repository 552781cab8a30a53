#include "partition/simulation/wires.hpp"

#include <algorithm>

namespace shingle {
namespace {

// The same minimum as for measured rates in runtime/node_link.
constexpr int64_t least_measured_bytes = 8 * 1024;
constexpr Duration least_measured = std::chrono::milliseconds(4);

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
    port.latency =
        Duration(static_cast<int64_t>(std::clamp(node.link_latency_us, 0.0, 1e9) * 1000.0));
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

Duration Wires::passing_time(double ns_per_byte, uint32_t message) const {
  const int64_t bytes = messages_[message].bytes + message_header_bytes;
  return Duration(static_cast<int64_t>(ns_per_byte * static_cast<double>(bytes)));
}

Duration Wires::round_trip(uint32_t a, uint32_t b) const {
  const double rate = medium_ns_per_byte_.value_or(ports_[a].ns_per_byte + ports_[b].ns_per_byte);
  return ports_[a].latency + ports_[b].latency +
         Duration(static_cast<int64_t>(2.0 * rate * static_cast<double>(message_header_bytes)));
}

void Wires::post(const WireMessage& message) {
  const auto id = static_cast<uint32_t>(messages_.size());
  messages_.push_back(message);
  const uint64_t urgency = (uint64_t{message.frame} << 32) | message.block;
  auto& waiting = lane(message.from, message.to).waiting;
  if (waiting.empty()) ports_[message.from].receivers.push_back(message.to);
  waiting.push({urgency, id, id});
}

void Wires::send(const WireMessage& message, Time now) {
  const auto id = static_cast<uint32_t>(messages_.size());
  messages_.push_back(message);
  commit(id, now);
}

void Wires::tell(uint32_t from, uint32_t to, Time now, int64_t acknowledged) {
  send({.from = from, .to = to, .acknowledged = acknowledged}, now);
}

const std::vector<uint32_t>& Wires::pump(uint32_t from, Time now) {
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
    if (one.in_flight_bytes == 0) one.busy_since = now, one.busy_bytes = 0;
    count_in_flight(from, *to, messages_[next].bytes);
    commit(next, now);
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
  one.bytes_per_second = std::clamp(0.75 * one.bytes_per_second + 0.25 * sample, 1.0, 1e12);
  one.busy_since = now;
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

void Wires::commit(uint32_t id, Time now) {
  const WireMessage& message = messages_[id];
  Port& port = ports_[message.from];
  if (sharing_ == PortSharing::in_order) {
    Time& free = medium_ns_per_byte_ ? medium_free_ : port.egress_free;
    const double rate = medium_ns_per_byte_.value_or(port.ns_per_byte);
    free = std::max(free, now) + passing_time(rate, id);
    const auto next = medium_ns_per_byte_ ? TimedEvent::Kind::arrived : TimedEvent::Kind::at_port;
    agenda_.add(free + port.latency, next, id);
    return;
  }
  lane(message.from, message.to).committed.push_back(id);
  ++port.committed;
  if (medium_ns_per_byte_) {
    if (!medium_busy_) serve_medium(now);
  } else if (!port.busy) {
    serve(message.from, now);
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

void Wires::serve(uint32_t from, Time now) {
  Port& port = ports_[from];
  port.busy = port.committed > 0;
  if (!port.busy) return;
  const uint32_t id = next_of(from);
  agenda_.add(now + port.latency, TimedEvent::Kind::at_port, id);
  agenda_.add(now + passing_time(port.ns_per_byte, id), TimedEvent::Kind::port_free, from);
}

void Wires::serve_medium(Time now) {
  const auto count = static_cast<uint32_t>(ports_.size());
  for (uint32_t i = 1; i <= count; ++i) {
    const uint32_t from = (last_sender_ + i) % count;
    if (ports_[from].committed == 0) continue;
    last_sender_ = from;
    const uint32_t id = next_of(from);
    medium_busy_ = true;
    const Time free = now + passing_time(*medium_ns_per_byte_, id);
    agenda_.add(free + ports_[from].latency, TimedEvent::Kind::arrived, id);
    agenda_.add(free, TimedEvent::Kind::port_free, from);
    return;
  }
  medium_busy_ = false;
}

void Wires::port_free(uint32_t port, Time now) {
  medium_ns_per_byte_ ? serve_medium(now) : serve(port, now);
}

// in_order: the switch has the whole message, which enters the far port now. fair: its first byte
// enters now, and its last byte arrives when the near port has sent it, at the earliest.
void Wires::at_port(uint32_t id, Time now) {
  const WireMessage& message = messages_[id];
  Port& far = ports_[message.to];
  far.ingress_free = std::max(far.ingress_free, now) + passing_time(far.ns_per_byte, id);
  Time arrival = far.ingress_free;
  if (sharing_ == PortSharing::fair) {
    arrival = std::max(arrival, now + passing_time(ports_[message.from].ns_per_byte, id));
  }
  agenda_.add(arrival, TimedEvent::Kind::arrived, id);
}

WireMessage Wires::arrived(uint32_t id, Time now) {
  const WireMessage message = messages_[id];
  if (message.acknowledged > 0) acknowledged(message.to, message.from, message.acknowledged, now);
  if (message.bytes > 0) tell(message.to, message.from, now, message.bytes);
  return message;
}

}  // namespace shingle
