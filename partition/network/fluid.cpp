#include "partition/network/fluid.hpp"

#include <algorithm>

namespace shingle {
namespace {

std::vector<double> capacities(const NetworkTopology& topology) {
  std::vector<double> result;
  result.reserve(topology.resources.size());
  for (const NetworkResource& resource : topology.resources)
    result.push_back(resource.air.empty() ? resource.bytes_per_second
                                          : air_rate(resource.air, 1).bytes_per_second);
  return result;
}

// The air that all hosts are stations of, if it can be simulated turn by turn.
std::optional<uint32_t> only_cell(const NetworkTopology& network) {
  if (network.hosts.empty() || network.hosts.front().up.resource == no_resource) return {};
  const uint32_t air = network.hosts.front().up.resource;
  const bool is_only =
      std::all_of(network.hosts.begin(), network.hosts.end(),
                  [air](const NetworkPort& host) { return host.up.resource == air; });
  return is_only && network.resources[air].radio ? std::optional(air) : std::nullopt;
}

bool may_lose(const NetworkTopology& network) {
  return std::any_of(network.hosts.begin(), network.hosts.end(),
                     [](const NetworkPort& host) { return host.up.loss + host.down.loss > 0.0; }) ||
         std::any_of(network.trunks.begin(), network.trunks.end(),
                     [](const Trunk& trunk) { return trunk.forward.loss + trunk.back.loss > 0.0; });
}

}  // namespace

FluidNetwork::FluidNetwork(NetworkTopology topology, const TcpOptions& tcp, uint64_t seed)
    : layout_{.topology = std::move(topology)},
      tcp_(tcp),
      rates_(capacities(layout_.topology)),
      dice_(seed),
      pairs_(layout_.topology.hosts.size() * layout_.topology.hosts.size()),
      resources_(layout_.topology.resources.size()) {
  for (uint32_t i = 0; i < resources_.size(); ++i) {
    const NetworkResource& resource = layout_.topology.resources[i];
    if (!resource.air.empty()) resources_[i].flows_of.assign(layout_.topology.hosts.size() + 1, 0);
    for (const RateStep& step : resource.steps)
      steps_.push_back({step.at, i, step.bytes_per_second});
  }
  layout_.may_lose = may_lose(layout_.topology);
  if (const auto air = only_cell(layout_.topology))
    turns_.emplace(*air,
                   RadioCell(*layout_.topology.resources[*air].radio,
                             static_cast<uint32_t>(layout_.topology.hosts.size()), tcp, seed));
  std::stable_sort(steps_.begin(), steps_.end(),
                   [](const Step& a, const Step& b) { return a.at > b.at; });
}

// --- the verbs ---

void FluidNetwork::send(uint32_t from, uint32_t to, int64_t bytes, uint64_t cargo, Time now) {
  assert(bytes > 0);
  move_to(now);
  totals_.sent += bytes;
  totals_.under_way += bytes;
  if (turns_)
    return turns_->cell.send({.from = from, .to = to, .cargo = cargo, .bytes = bytes}, now);
  Pair& between = pair(from, to);
  if (const auto at = cross_small(from, to, bytes)) return travel({*at, from, to, cargo}, bytes);
  if (between.connection == none) between.connection = open(from, to);
  Connection& connection = connections_[between.connection];
  uint32_t parcel = free_parcel_;
  if (parcel == none) {
    parcel = static_cast<uint32_t>(parcels_.size());
    parcels_.emplace_back();
  } else {
    free_parcel_ = parcels_[parcel].next;
  }
  parcels_[parcel] = {cargo, bytes, none};
  const bool was_idle = connection.first == none;
  (was_idle ? connection.first : parcels_[connection.last].next) = parcel;
  connection.last = parcel;
  if (was_idle) connection.pending = 0.0;
  connection.pending += static_cast<double>(bytes);
  if (!was_idle) return;
  connection.left = static_cast<double>(bytes);
  begin_sending(between.connection);
}

std::optional<Time> FluidNetwork::send_by_hand(uint32_t from, uint32_t to, int64_t bytes,
                                               Time now) {
  assert(bytes > 0);
  if (layout_.may_lose || turns_) return {};
  move_to(now);
  const std::optional<Time> at = cross_small(from, to, bytes);
  if (!at) return {};
  totals_.sent += bytes;
  totals_.arrived += bytes;
  Time& last = pair(from, to).last_arrival;
  return last = std::max(*at, last);
}

Time FluidNetwork::next_change() {
  solve();
  Time next = Time::max();
  if (!due_.empty()) next = due_.first_time();
  if (!travelling_.empty()) next = std::min(next, travelling_.next_at());
  if (!steps_.empty()) next = std::min(next, steps_.back().at);
  if (turns_) next = std::min(next, turns_->cell.next_change());
  return std::max(next, now_);
}

void FluidNetwork::advance(Time now, std::vector<NetworkArrival>& arrivals) {
  assert(now < Time::max());
  for (Time next = next_change(); next <= now; next = next_change()) {
    now_ = next;
    while (!steps_.empty() && steps_.back().at <= now_) take_step();
    while (!due_.empty() && due_.first_time() <= now_) serve(due_.first());
    if (turns_) take_turns();
    while (!travelling_.empty() && travelling_.next_at() <= now_) {
      const auto [arrival, bytes] = travelling_.take();
      arrivals.push_back(arrival);
      totals_.arrived += bytes;
      totals_.under_way -= bytes;
    }
  }
  move_to(now);
}

std::vector<uint64_t> FluidNetwork::break_connection(uint32_t from, uint32_t to, Time now) {
  move_to(now);
  std::vector<uint64_t> lost;
  Pair& between = pair(from, to);
  between.last_arrival = Time{};
  if (turns_) {
    for (const RadioMessage& each : turns_->cell.break_connection(from, to)) {
      lost.push_back(each.cargo);
      totals_.lost += each.bytes;
      totals_.under_way -= each.bytes;
    }
    return lost;
  }
  if (between.connection == none) return lost;
  Connection& connection = connections_[between.connection];
  for (uint32_t parcel = connection.first; parcel != none;) {
    lost.push_back(parcels_[parcel].cargo);
    totals_.lost += parcels_[parcel].bytes;
    totals_.under_way -= parcels_[parcel].bytes;
    const uint32_t next = std::exchange(parcels_[parcel].next, free_parcel_);
    free_parcel_ = std::exchange(parcel, next);
  }
  connection.first = connection.last = none;
  if (connection.active) stop_flow(between.connection);
  due_.remove(between.connection);
  connection.window = CongestionWindow(tcp_, measure_route(connection), from < to);
  connection.round_left = MaxMin::no_limit;
  return lost;
}

void FluidNetwork::set_rate(uint32_t resource, double bytes_per_second, Time now) {
  assert(layout_.topology.resources[resource].air.empty());
  move_to(now);
  rates_.set_capacity(resource, bytes_per_second);
  for (uint32_t id = 0; id < connections_.size(); ++id) {
    Connection& connection = connections_[id];
    catch_up(connection);
    connection.window.set_path(tcp_, measure_route(connection));
    if (!connection.active) continue;
    each_flow(id, [&](MaxMin::Flow flow) { rates_.set_limit(flow, connection.limit); });
    schedule(id);
  }
}

void FluidNetwork::add_background(uint32_t from, uint32_t to, double bytes_per_second, Time now) {
  assert(!turns_);
  move_to(now);
  const uint32_t id = open(from, to);
  Connection& connection = connections_[id];
  connection.endless = true;
  connection.most = bytes_per_second;
  measure_route(connection);
  start_flow(id);
}

ResourceLoad FluidNetwork::load(uint32_t resource) const {
  if (turns_ && resource == turns_->air)
    return {.bytes = turns_->cell.carried_bytes(), .busy = turns_->cell.busy()};
  ResourceLoad load = resources_[resource].load;
  if (resources_[resource].flows > 0) load.busy += now_ - resources_[resource].busy_since;
  return load;
}

// What happens on the air of the only cell until now.
void FluidNetwork::take_turns() {
  turns_->arrived.clear();
  while (turns_->cell.next_change() <= now_) turns_->cell.advance(turns_->arrived);
  for (const RadioMessage& each : turns_->arrived) {
    Duration latency{};
    each_way(layout_.topology, layout_.paths, each.from, each.to,
             [&](const Way& way) { latency += way.latency; });
    travel({now_ + latency, each.from, each.to, each.cargo}, each.bytes);
  }
}

// --- time ---

void FluidNetwork::move_to(Time now) {
  assert(now >= now_);
  if (now == now_) return;
  solve();
  now_ = now;
}

void FluidNetwork::solve() {
  while (rates_.changed()) {
    for (const MaxMin::Flow flow : rates_.solve()) take_rate(flow);
    for (const uint32_t id : std::exchange(changed_, {})) follow_queue(id);
  }
}

void FluidNetwork::take_rate(MaxMin::Flow flow) {
  const uint32_t id = flow / flows_each();
  Connection& connection = connections_[id];
  if (!connection.active || !rates_.is_active(flow)) return;
  catch_up(connection);
  const bool is_first = flow == flow_of(id) + 1;
  (is_first ? connection.queue.first_rate : connection.rate) = 1e-9 * rates_.rate(flow);
  schedule(id);
  if (has_queues()) changed_.push_back(id);
  if (!has_queues()) follow_holder(connection, flow);
}

void FluidNetwork::take_step() {
  const Step step = steps_.back();
  steps_.pop_back();
  set_rate(step.resource, step.bytes_per_second, now_);
}

}  // namespace shingle
