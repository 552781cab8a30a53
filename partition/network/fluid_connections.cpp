// The connections of a FluidNetwork: their windows, their flows, and what leaves them.
#include <algorithm>
#include <cmath>

#include "partition/network/fluid.hpp"

namespace shingle {
namespace {

// More small messages than so many segments that wait on one connection are a flow.
constexpr int64_t most_small_segments = 4;
constexpr int64_t tail_segments = 3;   // a loss among them is noticed by a timeout only (RFC 5681)
constexpr double nearly_full = 0.99;   // of a port
constexpr double half_a_packet = 0.5;  // is left of the one being sent, in the mean
constexpr int most_timeouts = 10;      // of one message

Duration rounded(double nanoseconds) {
  return Duration(static_cast<int64_t>(std::min(std::ceil(nanoseconds), 1e18)));
}

double ns_for(int64_t bytes, double bytes_per_second) {
  return 1e9 * static_cast<double>(bytes) / bytes_per_second;
}

}  // namespace

Duration FluidNetwork::latency(uint32_t from, uint32_t to) const {
  Duration sum{};
  each_way(layout_.topology, layout_.paths, from, to,
           [&](const Way& way) { sum += way.latency + access_time(way); });
  return sum;
}

Duration FluidNetwork::access_time(const Way& way) const {
  if (way.resource == no_resource || layout_.topology.resources[way.resource].air.empty())
    return {};
  return layout_.topology.resources[way.resource].air.front().access;
}

Duration FluidNetwork::small_time(uint32_t from, uint32_t to, int64_t bytes) const {
  double nanoseconds = in_nanoseconds(latency(from, to));
  each_way(layout_.topology, layout_.paths, from, to, [&](const Way& way) {
    if (way.resource != no_resource) nanoseconds += ns_for(bytes, rates_.capacity(way.resource));
  });
  return rounded(nanoseconds);
}

// When it arrives if no earlier message of its connection is late. None: it must be part of a flow.
std::optional<Time> FluidNetwork::cross_small(uint32_t from, uint32_t to, int64_t bytes) {
  if (bytes > tcp_.segment_bytes) return {};
  Pair& between = pair(from, to);
  const uint32_t connection = between.connection;
  if (connection != none && connections_[connection].first != none) return {};
  const uint32_t first = layout_.topology.hosts[from].up.resource;
  const double rate = rates_.capacity(first);
  Time& free = resources_[first].small_free;
  if (between.small_until <= now_) between.small_bytes = 0;
  if (between.small_bytes > most_small_segments * tcp_.segment_bytes) return {};
  const Duration own = rounded(ns_for(bytes, rate));
  const Duration waiting = std::max(free, now_) - now_;
  free = between.small_until = now_ + waiting + own;
  between.small_bytes += bytes;
  double crossing = -in_nanoseconds(own), kept = 1.0;
  Duration latency{};
  each_way(layout_.topology, layout_.paths, from, to, [&](const Way& way) {
    latency += way.latency + access_time(way);
    kept *= 1.0 - way.loss;
    if (way.resource == no_resource) return;
    crossing += ns_for(bytes, rates_.capacity(way.resource));
    if (way.resource != first) crossing += wait_behind_flows(way.resource);
    resources_[way.resource].load.bytes += bytes;
  });
  const Duration late = late_by_loss(1.0 - kept, 1);
  if (connection != none) connections_[connection].last_sent = now_;
  return free + rounded(std::max(0.0, crossing)) + latency + late;
}

// --- what a route allows ---

uint32_t FluidNetwork::open(uint32_t from, uint32_t to) {
  const NetworkRoute forward = route(layout_.topology, layout_.paths, from, to);
  NetworkRoute back = route(layout_.topology, layout_.paths, to, from);
  std::erase_if(back.uses, [this](const ResourceUse& use) {
    return tcp_.acknowledgement_share <= 0.0 ||
           layout_.topology.resources[use.resource].half_duplex;
  });
  for (ResourceUse& use : back.uses) use.weight *= tcp_.acknowledgement_share;
  add_flows(forward, back.uses);
  const auto id = static_cast<uint32_t>(connections_.size());
  connections_.push_back({.from = from, .to = to, .window = CongestionWindow(tcp_, {})});
  connections_.back().loss = forward.loss;
  // The lower host opens a connection, as in runtime and in shingle-ns3.
  connections_.back().window =
      CongestionWindow(tcp_, measure_route(connections_.back()), from < to);
  return id;
}

TcpPath FluidNetwork::measure_route(Connection& connection) const {
  const MaxMin::Flow id = flow_of(static_cast<uint32_t>(&connection - connections_.data()));
  double all = 0.0, slowest = 0.0;  // nanoseconds per byte
  rates_.each_resource(id, [&](uint32_t resource, double weight) {
    const double one = 1e9 * weight / rates_.capacity(resource);
    all += one;
    slowest = std::max(slowest, one);
  });
  connection.tail_ns_per_byte = all - slowest;
  connection.latency = latency(connection.from, connection.to);
  TcpPath path{.loss = connection.loss, .bytes_per_second = 1e9 / slowest};
  path.round_trip = connection.latency + latency(connection.to, connection.from) +
                    rounded(all * static_cast<double>(tcp_.segment_bytes));
  connection.limit = std::min(connection.most, tcp_rate_limit(tcp_, path));
  rates_.each_acknowledged(id, [&](uint32_t resource, double weight) {
    connection.limit = std::min(connection.limit, rates_.capacity(resource) / weight);
  });
  return path;
}

// --- windows ---

void FluidNetwork::begin_sending(uint32_t id) {
  Connection& connection = connections_[id];
  if (connection.window.restart(now_ - connection.last_sent))
    connection.round_left = MaxMin::no_limit;
  if (connection.window.is_open()) return start_flow(id);
  go_on(id);
}

// Sends what the window still allows in this round, or waits for the next one.
void FluidNetwork::go_on(uint32_t id) {
  Connection& connection = connections_[id];
  const bool is_first = connection.round_left == MaxMin::no_limit;
  if (is_first || now_ >= round_end(connection)) {
    if (!is_first) end_round(connection);
    connection.round_left = static_cast<double>(connection.window.bytes());
    connection.round_began = now_;
    connection.round_waits = acknowledgement_wait(id);
  }
  if (connection.round_left > sent_up_to) return connection.active ? schedule(id) : start_flow(id);
  if (connection.active) stop_flow(id);
  due_.set(id, round_end(connection));
}

Time FluidNetwork::round_end(const Connection& connection) const {
  return connection.round_began + connection.window.round_trip() + connection.round_waits;
}

// How long the round's acknowledgements wait for the data of others: at a full port for what its
// device has taken, at another one for what is left of the packet that is being sent.
Duration FluidNetwork::acknowledgement_wait(uint32_t id) const {
  if (tcp_.taken_packets <= 0.0) return {};
  double nanoseconds = 0.0;
  rates_.each_acknowledged(flow_of(id), [&](uint32_t resource, double) {
    const double used = rates_.used_part(resource);
    const double packets = used > nearly_full ? tcp_.taken_packets : used * half_a_packet;
    nanoseconds += packets * ns_for(tcp_.segment_bytes, rates_.capacity(resource));
  });
  return rounded(nanoseconds);
}

void FluidNetwork::end_round(Connection& connection) {
  const auto window = static_cast<double>(connection.window.bytes());
  const double left = connection.round_left <= sent_up_to ? 0.0 : connection.round_left;
  connection.window.end_round(std::llround(window - left),
                              connection.last_sent - connection.round_began, connection.last_sent,
                              now_);
}

// --- flows ---

void FluidNetwork::serve(uint32_t id) {
  Connection& connection = connections_[id];
  if (!connection.active) return go_on(id);
  catch_up(connection);
  connection.last_sent = now_;
  while (connection.first != none && connection.left <= sent_up_to) depart(connection);
  if (connection.first == none) {
    stop_flow(id);
    due_.remove(id);
  } else if (!connection.window.is_open() && connection.round_left <= sent_up_to) {
    go_on(id);
  } else {
    schedule(id);
    follow_queue(id);
  }
}

void FluidNetwork::depart(Connection& connection) {
  const uint32_t parcel = connection.first;
  const auto [cargo, bytes, next] = parcels_[parcel];
  connection.first = next;
  parcels_[parcel].next = std::exchange(free_parcel_, parcel);
  if (next != none) connection.left += static_cast<double>(parcels_[next].bytes);
  const MaxMin::Flow id = flow_of(static_cast<uint32_t>(&connection - connections_.data()));
  rates_.each_resource(id, [&](uint32_t resource, double weight) {
    resources_[resource].load.bytes += bytes * static_cast<int64_t>(weight);
  });
  const int64_t last_packet = std::min(bytes, tcp_.segment_bytes);
  Time at = now_ + connection.latency +
            rounded(connection.tail_ns_per_byte * static_cast<double>(last_packet));
  if (next == none) {
    const int64_t segments = (bytes + tcp_.segment_bytes - 1) / tcp_.segment_bytes;
    at += late_by_loss(connection.loss, std::min(segments, tail_segments));
  }
  travel({at, connection.from, connection.to, cargo}, bytes);
}

void FluidNetwork::travel(NetworkArrival arrival, int64_t bytes) {
  Time& last = pair(arrival.from, arrival.to).last_arrival;
  last = arrival.at = std::max(arrival.at, last);
  travelling_.push(arrival.at, {arrival, bytes});
}

// Each timeout is twice as long as the one before it (RFC 6298).
Duration FluidNetwork::late_by_loss(double loss, int64_t segments) {
  Duration late{}, timeout = tcp_.least_timeout;
  if (loss <= 0.0) return late;
  double kept = 1.0;
  for (int64_t i = 0; i < segments; ++i) kept *= 1.0 - loss;
  for (int i = 0; i < most_timeouts && dice_.unit() >= kept; ++i, timeout *= 2) late += timeout;
  return late;
}

void FluidNetwork::catch_up(Connection& connection) {
  const double nanoseconds = in_nanoseconds(now_ - connection.since);
  const double sent = connection.rate * nanoseconds;
  connection.since = now_;
  if (connection.endless) return;
  connection.left -= sent;
  connection.pending -= sent;
  connection.served += sent;
  connection.round_left -= sent;
  if (has_queues() && connection.active) fill_queue(connection, nanoseconds);
}

void FluidNetwork::schedule(uint32_t id) {
  const Connection& connection = connections_[id];
  if (connection.endless || connection.rate <= 0.0) return due_.remove(id);
  double bytes = connection.left;
  if (!connection.window.is_open()) bytes = std::min(bytes, connection.round_left);
  double nanoseconds = std::max(0.0, bytes) / connection.rate;
  if (has_queues()) nanoseconds = std::min(nanoseconds, until_queue_changes(connection));
  due_.set(id, now_ + rounded(nanoseconds));
}

void FluidNetwork::start_flow(uint32_t id) {
  Connection& connection = connections_[id];
  connection.active = true;
  connection.since = now_;
  connection.held_later = false;
  rates_.start(flow_of(id), connection.limit);
  occupy(id, true);
}

void FluidNetwork::stop_flow(uint32_t id) {
  Connection& connection = connections_[id];
  connection.active = false;
  connection.rate = 0.0;
  each_flow(id, [&](MaxMin::Flow flow) { rates_.stop(flow); });
  connection.queue = {};
  occupy(id, false);
}

void FluidNetwork::occupy(uint32_t id, bool begins) {
  const uint32_t from = connections_[id].from;
  rates_.each_resource(flow_of(id), [&](uint32_t used, double) {
    Resource& resource = resources_[used];
    if (begins && resource.flows++ == 0) resource.busy_since = now_;
    if (!begins && --resource.flows == 0) resource.load.busy += now_ - resource.busy_since;
    if (resource.flows_of.empty()) return;
    const bool own = layout_.topology.hosts[from].up.resource == used;
    contend(used, own ? from : static_cast<uint32_t>(layout_.topology.hosts.size()), begins);
  });
}

// The air carries less the more stations contend for it.
void FluidNetwork::contend(uint32_t used, uint32_t sender, bool begins) {
  Resource& resource = resources_[used];
  uint32_t& flows = resource.flows_of[sender];
  if (begins && flows++ == 0) ++resource.senders;
  if (!begins && --flows == 0) --resource.senders;
  const AirRate rate = air_rate(layout_.topology.resources[used].air, resource.senders);
  rates_.set_capacity(used, rate.bytes_per_second);
}

}  // namespace shingle
