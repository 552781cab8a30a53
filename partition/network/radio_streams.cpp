// The streams of a RadioCell's stations: what they write, receive and acknowledge.
#include <cassert>

#include "partition/network/radio_cell.hpp"

namespace shingle {
namespace {

constexpr uint32_t none = UINT32_MAX;
constexpr int64_t answered_packets = 2;                       // by one (RFC 5681, 4.2)
constexpr Duration patience = std::chrono::milliseconds(40);  // with a single packet; Linux
constexpr Duration usual_handshake = std::chrono::milliseconds(2);
constexpr Duration longest_resolution = std::chrono::milliseconds(10);  // of an address, in ns-3

}  // namespace

void RadioCell::send(const RadioMessage& message, Time now) {
  assert(message.from != message.to && message.bytes > 0 && now <= next_);
  const uint32_t id = open(message.from, message.to);
  Connection& connection = connections_[id];
  if (connection.sent == connection.acknowledged)
    connection.window.restart(now - connection.last_sent, tcp_.least_timeout);
  connection.written += message.bytes;
  connection.messages.push_back({message, connection.written});
  write(id, now);
  find_next();
}

std::vector<RadioMessage> RadioCell::break_connection(uint32_t from, uint32_t to) {
  std::vector<RadioMessage> lost;
  const uint32_t id = std::exchange(id_of(from, to), none);
  if (id == none) return lost;
  Connection& connection = connections_[id];
  for (const Awaited& each : connection.messages) lost.push_back(each.message);
  connection.messages.clear();
  connection.written = connection.sent = connection.acknowledged;
  timeouts_.remove(id);
  find_next();
  return lost;
}

uint32_t RadioCell::open(uint32_t from, uint32_t to) {
  assert(from < access_point() && to < access_point());
  uint32_t& id = id_of(from, to);
  if (id == none) {
    id = static_cast<uint32_t>(connections_.size());
    connections_.push_back(
        {.from = from, .to = to, .window = SendWindow(tcp_, handshake(from, to))});
    // ns-3 acknowledges a caller's first packet alone.
    if (tcp_.slow_start == SlowStart::ns3 && from < to) connections_.back().unanswered = 1;
  }
  return id;
}

// It waits for the resolution of addresses, which ns-3 delays: that of the called station, and
// before that the caller's. The lower station calls.
Duration RadioCell::handshake(uint32_t from, uint32_t to) {
  if (tcp_.slow_start != SlowStart::ns3) return usual_handshake;
  const auto resolution = [this] {
    return Duration(static_cast<int64_t>(dice_.unit() * in_nanoseconds(longest_resolution)));
  };
  return usual_handshake + resolution() + (from < to ? resolution() : Duration{});
}

// As many packets as the window allows.
void RadioCell::write(uint32_t id, Time now) {
  Connection& connection = connections_[id];
  Burst burst{.connection = id};
  while (connection.sent < connection.written) {
    const int64_t bytes = std::min(tcp_.segment_bytes, connection.written - connection.sent);
    if (connection.sent + bytes - connection.acknowledged > connection.window.bytes()) break;
    connection.sent += bytes;
    burst.bytes += bytes;
    ++burst.packets;
  }
  if (burst.packets == 0) return;
  burst.end = connection.sent;
  connection.times.push_back({connection.sent, now});
  connection.last_sent = now;
  if (connection.times.size() == 1) await_answer(id, now);
  answer_with(burst);
  enqueue(connection.from, burst, now);
}

// The acknowledgement that waited for a second packet, of the other direction.
void RadioCell::answer_with(Burst& data) {
  const Connection& connection = connections_[data.connection];
  const uint32_t back = id_of(connection.to, connection.from);
  if (back == none || connections_[back].received == 0) return;
  data.answers = back;
  data.answered = connections_[back].received;
  connections_[back].unanswered = 0;
  late_.remove(back);
}

void RadioCell::receive(const Burst& burst, Time now, std::vector<RadioMessage>& arrivals) {
  if (burst.answers != none)
    acknowledge({.connection = burst.answers, .packets = 1, .end = burst.answered}, now);
  Connection& connection = connections_[burst.connection];
  const bool is_known = burst.end <= connection.received;  // it was sent again
  connection.received = std::max(connection.received, burst.end);
  while (!connection.messages.empty() && connection.messages.front().end <= connection.received) {
    arrivals.push_back(connection.messages.front().message);
    connection.messages.pop_front();
  }
  if (is_known) return answer(burst.connection, burst.packets, now);
  connection.unanswered += burst.packets;
  if (connection.unanswered >= answered_packets)
    answer(burst.connection, connection.unanswered / answered_packets, now);
  if (connection.unanswered > 0) late_.set(burst.connection, now + patience);
}

// So many acknowledgements, of what has arrived.
void RadioCell::answer(uint32_t id, int64_t count, Time now) {
  Connection& connection = connections_[id];
  connection.unanswered = std::max<int64_t>(0, connection.unanswered - answered_packets * count);
  if (connection.unanswered == 0) late_.remove(id);
  const int64_t left = connection.unanswered * tcp_.segment_bytes;
  enqueue(connection.to,
          {.connection = id,
           .acknowledges = true,
           .packets = count,
           .end = std::max(connection.acknowledged, connection.received - left)},
          now);
}

void RadioCell::acknowledge(const Burst& burst, Time now) {
  Connection& connection = connections_[burst.connection];
  const int64_t from = connection.acknowledged, bytes = burst.end - from;
  if (bytes <= 0 || id_of(connection.from, connection.to) != burst.connection) return;
  connection.acknowledged = burst.end;
  connection.sent = std::max(connection.sent, burst.end);
  std::deque<Sent>& times = connection.times;
  while (times.size() > 1 && times.front().end < burst.end) times.pop_front();
  const bool is_measured = burst.end > connection.sent_again && !times.empty();
  const Duration round_trip = is_measured ? now - times.front().at : Duration{};
  if (connection.sent == connection.acknowledged) times.clear();
  const int64_t segments = bytes / tcp_.segment_bytes;
  for (int64_t i = 0; i < burst.packets; ++i)
    connection.window.take(
        {.at = now,
         .round_trip = round_trip,
         .segments = segments * (i + 1) / burst.packets - segments * i / burst.packets,
         .up_to = from + bytes * (i + 1) / burst.packets,
         .sent = connection.sent});
  await_answer(burst.connection, now);
  write(burst.connection, now);
}

// An acknowledgement, from now on.
void RadioCell::await_answer(uint32_t id, Time now) {
  const Connection& connection = connections_[id];
  const Duration timeout = connection.window.timeout();
  if (connection.sent == connection.acknowledged || timeout == Duration::max())
    timeouts_.remove(id);
  else
    timeouts_.set(id, now + timeout);
}

// All that is not acknowledged, although it may be under way.
void RadioCell::send_again(uint32_t id, Time now) {
  Connection& connection = connections_[id];
  connection.window.time_out();
  connection.sent_again = std::max(connection.sent_again, connection.sent);
  connection.sent = connection.acknowledged;
  connection.times.clear();
  write(id, now);
  await_answer(id, now);
}

// Acknowledgements and timeouts that are due.
void RadioCell::keep_times(Time now) {
  while (!late_.empty() && late_.first_time() <= now) {
    const uint32_t id = late_.first();
    late_.remove(id);
    answer(id, 1, now);
  }
  while (!timeouts_.empty() && timeouts_.first_time() <= now) send_again(timeouts_.first(), now);
}

}  // namespace shingle
