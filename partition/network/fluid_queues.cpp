// The queue behind the first port of a connection, where windows are ns-3's.
//
//   sender --first_rate--> [ queue ] --rate--> the other ports --> receiver
//
// What an open window holds beyond its route stands before the slowest port. If that is a later
// one, the queue fills as fast as the first port allows, until the whole window is on its way. From
// then on all ports carry the connection at one rate. If others come to the first port, so that it
// is the slowest one, the queue drains, and the connection does not lose its share of the later
// ports before that is done. And what others send through the first port is free of it as soon as
// its last bytes stand in the queue.
#include <algorithm>

#include "partition/network/fluid.hpp"

namespace shingle {
namespace {

// While bytes leave, the window grows by half of them at most (RFC 8312, 4.1).
constexpr double fastest_approach = 1.5;

}  // namespace

void FluidNetwork::add_flows(const NetworkRoute& forward, const std::vector<ResourceUse>& back) {
  const MaxMin::Flow flow = rates_.add_flow(forward.uses, back);
  assert(flow == flow_of(static_cast<uint32_t>(connections_.size())));
  if (!has_queues()) return;
  const auto first = forward.uses.begin(), second = first + (forward.uses.size() > 1 ? 1 : 0);
  rates_.add_flow({*first}, {});
  rates_.add_flow({second, forward.uses.end()}, back);
}

void FluidNetwork::carry(uint32_t id, Carried how) {
  Connection& connection = connections_[id];
  each_flow(id, [&](MaxMin::Flow flow) { rates_.stop(flow); });
  connection.queue.carried = how;
  connection.queue.first_rate = 0.0;
  rates_.each_resource(flow_of(id) + 1, [&](uint32_t first, double) {
    const double nanoseconds =
        1e9 * static_cast<double>(tcp_.segment_bytes) / rates_.capacity(first);
    connection.queue.steady_until = now_ + Duration(static_cast<int64_t>(nanoseconds));
  });
  each_flow(id, [&](MaxMin::Flow flow) { rates_.start(flow, connection.limit); });
  due_.remove(id);  // until the new rates are known
}

void FluidNetwork::fill_queue(Connection& connection, double nanoseconds) {
  Queue& queue = connection.queue;
  const double sent = connection.rate * nanoseconds;
  if (connection.window.is_open()) connection.window.grow_open(sent, now_);
  if (queue.carried != Carried::together)
    queue.bytes = std::max(0.0, queue.bytes + queue.first_rate * nanoseconds - sent);
  else if (queue.is_full)
    queue.bytes = std::min(connection.pending, connection.window.standing_bytes(connection.rate));
}

// Nanoseconds until it is full or empty, or until the last bytes stand in it.
double FluidNetwork::until_queue_changes(const Connection& connection) const {
  const Queue& queue = connection.queue;
  if (now_ < queue.steady_until) return in_nanoseconds(queue.steady_until - now_);
  const double before = connection.pending - queue.bytes;  // the first port
  double nanoseconds = MaxMin::no_limit;
  if (queue.carried == Carried::together && queue.is_full)
    nanoseconds = before / (connection.rate * fastest_approach);
  if (queue.carried == Carried::apart && queue.first_rate > 0.0) {
    nanoseconds = before / queue.first_rate;
    const double rise = queue.first_rate - connection.rate;
    const double room = connection.window.standing_bytes(connection.rate) - queue.bytes;
    if (rise != 0.0) nanoseconds = std::min(nanoseconds, (rise > 0.0 ? room : -queue.bytes) / rise);
  }
  return std::max(0.0, nanoseconds);
}

void FluidNetwork::follow_queue(uint32_t id) {
  Connection& connection = connections_[id];
  if (!has_queues() || !connection.active || connection.endless) return;
  Queue& queue = connection.queue;
  if (now_ < queue.steady_until) return;
  if (queue.carried != Carried::together) return follow_apart(id);
  if (rates_.rate(flow_of(id)) <= 0.0) return;  // not known yet
  const auto least = static_cast<double>(tcp_.segment_bytes);
  const double most = connection.window.standing_bytes(connection.rate);
  if (rates_.is_held_later(flow_of(id))) {
    const bool is_filling = !queue.is_full && queue.bytes < most - least;
    const bool is_at_end = queue.bytes > 0.0 && connection.pending <= queue.bytes + least;
    if (is_filling || is_at_end) return carry(id, is_at_end ? Carried::rest : Carried::apart);
    queue.is_full = true;
  } else {
    queue.is_full = false;
    if (queue.bytes > least) carry(id, Carried::apart);
  }
}

void FluidNetwork::follow_apart(uint32_t id) {
  Connection& connection = connections_[id];
  Queue& queue = connection.queue;
  if (queue.carried == Carried::rest) return;
  if (connection.pending - queue.bytes <= sent_up_to) return carry(id, Carried::rest);
  const bool fills = queue.first_rate > connection.rate;
  const double most = connection.window.standing_bytes(connection.rate);
  if (fills ? queue.bytes < most - sent_up_to : queue.bytes > sent_up_to) return;
  queue.is_full = fills;
  carry(id, Carried::together);
}

}  // namespace shingle
