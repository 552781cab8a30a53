// What stands before a small message in the ports behind the first one. A switch's port serves in
// the order of arrival, so a message of one packet waits for all that others have there:
//
//   a ====>\                      a, b: flows that this port holds back; they come in faster than
//   b ====> [a b a b a b] ====>   they go out
//   c ----> behind all of them
//
// At the sender's own port connections take turns (Linux has fq_codel there), and it waits for
// none.
#include <algorithm>

#include "partition/network/fluid.hpp"

namespace shingle {

// In nanoseconds. Ports of shingle-ns3 are fair queues, so nothing waits there.
double FluidNetwork::wait_behind_flows(uint32_t resource) const {
  if (has_queues()) return 0.0;
  double bytes = 0.0;
  rates_.each_held(resource, [&](MaxMin::Flow flow) { bytes += standing_bytes(flow); });
  const auto most = static_cast<double>(tcp_.port_buffer_bytes);
  return 1e9 * std::min(bytes, most) / rates_.capacity(resource);
}

// Of a flow that a later port than its first holds back: what has passed the first one since that
// port does so, less what has left it.
double FluidNetwork::standing_bytes(MaxMin::Flow flow) const {
  const Connection& connection = connections_[flow];
  if (!connection.held_later) return 0.0;
  const double sent = connection.rate * in_nanoseconds(now_ - connection.since);
  const uint32_t first = layout_.topology.hosts[connection.from].up.resource;
  const double each = rates_.capacity(first) / std::max(1U, resources_[first].flows);
  const double entered = 1e-9 * each * in_nanoseconds(now_ - connection.held_since);
  double most = connection.endless ? MaxMin::no_limit : connection.pending - sent;
  if (!connection.window.is_open())
    most = std::min(most, static_cast<double>(connection.window.bytes()));
  return std::clamp(entered - connection.served - sent, 0.0, std::max(0.0, most));
}

// REQUIRES: its bytes are counted until now.
void FluidNetwork::follow_holder(Connection& connection, MaxMin::Flow flow) {
  const bool is_held_later = rates_.is_held_later(flow);
  if (is_held_later == connection.held_later) return;
  connection.held_later = is_held_later;
  connection.held_since = now_;
  connection.served = 0.0;
}

}  // namespace shingle
