#include "sim/cluster.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "runtime/protocol/load_plan.hpp"
#include "sim/cluster_host.hpp"

namespace shingle::sim {

namespace {

NetworkTopology topology_of(const ClusterOptions& options) {
  if (options.topology) {
    assert(options.topology->hosts.size() >= options.machines.size());
    return *options.topology;
  }
  const EqualLinks& links = options.network;
  std::vector<HostLink> hosts;
  for (const Machine& machine : options.machines) {
    const auto rate = static_cast<double>(machine.bytes_per_second > 0 ? machine.bytes_per_second
                                                                       : links.bytes_per_second);
    hosts.push_back({rate, rate, links.latency, links.loss});
  }
  return links.one_medium ? one_medium(static_cast<double>(links.bytes_per_second), hosts)
                          : star(hosts);
}

VirtualNetwork network_of(ClusterOptions& options) {
  if (options.packets) return {topology_of(options), *std::exchange(options.packets, std::nullopt)};
  return {topology_of(options), options.tcp, options.seed};
}

}  // namespace

VirtualCluster::VirtualCluster(ClusterOptions options, const Model& model)
    : options_(std::move(options)),
      models_{{model.hash, &model}},
      network_(network_of(options_)),
      stray_random_(mix(options_.seed, 1)) {
  std::vector<NodeId> members;
  for (const Machine& machine : options_.machines) members.push_back(machine.node.id);
  for (const Machine& machine : options_.machines) {
    auto host = std::make_unique<Host>();
    host->machine = machine;
    host->machine.node.members = members;
    host->threads = Random(mix(mix(options_.seed), machine.node.id.value));
    host->contents = ContentStore(options_.contents != Contents::shape);
    hosts_.push_back(std::move(host));
  }
  if (options_.contents == Contents::full) oracle_ = options_.make_executor();
  for (const auto& host : hosts_) add_board(*host);
  for (const auto& host : hosts_) boot(*host);
  for (size_t a = 0; a < members.size(); ++a)
    for (size_t b = a + 1; b < members.size(); ++b) connect(members[a], members[b]);
}

VirtualCluster::~VirtualCluster() = default;

// Ids mostly count from the first one on.
uint32_t VirtualCluster::index_of(NodeId id) const {
  const uint32_t guess = id.value - hosts_.front()->id().value;
  if (guess < hosts_.size() && hosts_[guess]->id() == id) return guess;
  const auto place =
      std::lower_bound(hosts_.begin(), hosts_.end(), id,
                       [](const auto& host, NodeId wanted) { return host->id() < wanted; });
  assert(place != hosts_.end() && (*place)->id() == id);
  return static_cast<uint32_t>(place - hosts_.begin());
}

bool VirtualCluster::is_up(NodeId id) const { return hosts_[index_of(id)]->node != nullptr; }

bool VirtualCluster::hangs(NodeId id) const { return hosts_[index_of(id)]->ails.hung; }

const Node& VirtualCluster::node(NodeId id) const {
  const Host& found = *hosts_[index_of(id)];
  assert(found.node != nullptr);
  return *found.node;
}

// --- the script ---

void VirtualCluster::propose(Time at, NodeId owner, const Plan& plan) {
  const PlanHash hash = hash_of(plan);
  if (!plans_.contains(hash))
    plans_[hash] = {print(plan),
                    std::make_shared<const LoadedPlan>(trusted_plan(model_of(plan), plan))};
  schedule(at, Proposed{owner, {hash, plan.model, plans_[hash].text, homes(plan)}});
}

void VirtualCluster::withdraw(Time at, NodeId owner, const PlanHash& plan) {
  schedule(at, Withdrawn{owner, plan});
}

void VirtualCluster::capture(Time at, NodeId owner, const PlanHash& plan, Duration time_left) {
  schedule(at, Captured{owner, plan, time_left});
}

void VirtualCluster::flow(Time at, uint32_t from, uint32_t to, int64_t bytes, uint64_t number) {
  assert(from >= hosts_.size() && to >= hosts_.size());
  schedule(at, FlowBegun{from, to, bytes, number});
}

// --- the loop ---

bool VirtualCluster::run(Time until) {
  progress_.paused = false;
  while (!progress_.paused && !at_rest()) {
    const Time planned = queue_.empty() ? Time::max() : queue_.next_at();
    const Time arrival = network_.next_change(std::min(planned, until));
    const Time next = std::min(arrival, planned);
    if (!network_.status() || next > until || next == Time::max()) {
      progress_.heard_by = std::min(until, Time::max() - Duration(1)) + Duration(1);
      hear_all();
      return false;
    }
    progress_.now = next;
    if (planned < arrival) {
      progress_.heard_by = next + Duration(1);
      next_event();
      continue;
    }
    progress_.heard_by = next;
    wires_.arrivals.clear();
    network_.advance(progress_.now, wires_.arrivals);
    for (const NetworkArrival& each : wires_.arrivals) arrive(each);
  }
  if (!progress_.paused) hear_all();
  const NetworkTotals& bytes = network_.totals();
  if (bytes.sent != bytes.arrived + bytes.lost + bytes.under_way)
    breach(hosts_.front()->id(), "sees other bytes arrive than were sent");
  return !progress_.paused || at_rest();
}

void VirtualCluster::next_event() {
  SimEvent event = queue_.take();
  if (!is_background(event)) --progress_.foreground;
  if (!std::holds_alternative<MailDue>(event)) ++record_.events;
  std::visit([this](auto& each) { happen(each); }, event);
}

void VirtualCluster::schedule(Time at, SimEvent event) {
  if (!is_background(event)) ++progress_.foreground;
  queue_.push(at, std::move(event));
}

// Beats and their timers go on for ever.
bool VirtualCluster::is_background(const SimEvent& event) {
  if (const auto* arrived = std::get_if<Arrived>(&event)) return arrived->cargo->is_beat();
  return std::holds_alternative<MailDue>(event) || std::holds_alternative<Alarm>(event) ||
         std::holds_alternative<BoardDue>(event);
}

// A tile that hangs keeps its node from being idle, but not its node's frames from ending.
bool VirtualCluster::at_rest() const {
  const auto has_ended = [&](const auto& host) {
    const auto first = frames_.open.lower_bound({host->id(), 0, 0});
    return first == frames_.open.end() || first->owner != host->id();
  };
  return progress_.foreground == 0 &&
         std::all_of(hosts_.begin(), hosts_.end(), [&](const auto& host) {
           return host->node == nullptr || host->ails.hung || host->node->idle() ||
                  (host->ails.stalled && has_ended(host));
         });
}

void VirtualCluster::step(Host& host, const Event& event, const InFlight* cargo) {
  hear_kept(host);
  at_hand_ = cargo;
  actions_.clear();
  wires_.in_tick = options_.ticks_are_events && std::holds_alternative<Woken>(event);
  host.node->step(now() + host.machine.clock_offset, event, actions_);
  for (Action& action : actions_) std::visit([&](auto& each) { carry_out(host, each); }, action);
  at_hand_ = nullptr;
  end_tick(host);
  attend(host);
  check(host);
}

void VirtualCluster::check(Host& host) {
  for (const std::string& broken : host.node->broken_invariants()) breach(host.id(), broken);
  if (expected_.honest && host.node->counters().messages_refused > 0)
    breach(host.id(), "refused an honest message");
}

// --- what happens ---

void VirtualCluster::happen(Arrived& event) {
  const InFlight& cargo = *event.cargo;
  Host& receiver = host(cargo.to);
  if (receiver.node == nullptr || is_lost(cargo)) return;
  if (receiver.ails.hung) return receiver.ails.missed.push_back(std::move(event));
  if (std::holds_alternative<Piece>(cargo.message) &&
      faults_.corrupting.erase({cargo.from, cargo.to}) > 0)
    return begin_anew(cargo.from, cargo.to);
  record(cargo.to, trace_of_message(TraceEvent::Kind::received, cargo.from, cargo.envelope,
                                    cargo.message, cargo.payload_bytes));
  MessageReceived received{cargo.envelope, cargo.message, cargo.payload_bytes};
  if (receiver.liar) overhear(receiver, cargo);
  if (receiver.liar) {
    const int64_t excess = receiver.liar->excess[cargo.from];
    received.envelope.pasted_bytes -= std::min(received.envelope.pasted_bytes,
                                               static_cast<uint64_t>(std::max<int64_t>(0, excess)));
  }
  step(receiver, received, &cargo);
}

void VirtualCluster::happen(Loaded& event) {
  Host& loader = host(event.node);
  if (loader.life != event.life) return;
  if (loader.ails.hung) return loader.ails.missed.push_back(std::move(event));
  step(loader, PlanLoaded{event.plan, load(loader, event)});
}

Result<std::shared_ptr<const LoadedPlan>> VirtualCluster::load(const Host& loader,
                                                               const Loaded& event) {
  if (!loader.machine.has_models)
    return Error{"model " + short_name(event.model) + " is not in its folder"};
  if (loader.ails.squeezed) return Error{"it does not fit the memory that is left"};
  if (event.false_text) return Error{"its text is not the plan that its hash names"};
  KnownText& known = plans_.at(event.plan);
  if (const Status read = read_text(event.plan, known); !read) return read.failure();
  return known.loaded;
}

Status VirtualCluster::read_text(const PlanHash& plan, KnownText& known) {
  if (known.checked) return *known.checked;
  const Result<LoadedPlan> read = load_plan(model_of(known.loaded->plan), known.text, plan);
  known.checked = read ? success() : Status(read.failure());
  return *known.checked;
}

void VirtualCluster::happen(Begun& event) {
  Host& worker = host(event.node);
  if (worker.life != event.life) return;
  if (worker.ails.hung) return worker.ails.missed.push_back(std::move(event));
  step(worker, event.tile);
}

void VirtualCluster::happen(Computed& event) {
  Host& worker = host(event.node);
  if (worker.life != event.life) return;
  if (worker.ails.hung) return worker.ails.missed.push_back(std::move(event));
  if (worker.ails.stalled) return worker.ails.unfinished.push_back(std::move(event));
  const Compute& order = event.order;
  const LoadedPlan& plan = loaded(order.plan);
  const Status status = worker.ails.broken ? Status(Error{"the executor is broken"}) : success();
  if (status) {
    const bool spoilt = worker.ails.damaged_at.has_value() || worker.ails.spoils_one(order.place);
    std::string wrong = worker.contents.compute(plan, order, spoilt ? worker.ails.dice.next() : 0);
    if (wrong.empty() && worker.tensors)
      wrong = worker.tensors->compute(plan, model_of(plan.plan), order);
    if (!wrong.empty()) breach(worker.id(), "computes wrongly: " + wrong);
  }
  const TileComputed computed{order.key,
                              order.tile,
                              order.attempt,
                              order.place,
                              event.compute_time,
                              status,
                              order.audited ? worker.contents.content(plan, order) : TileContent{}};
  record(worker.id(), trace_of_tile(computed));
  step(worker, computed);
}

void VirtualCluster::happen(WeightsSeen& event) {
  Host& worker = host(event.node);
  if (worker.life != event.life) return;
  if (worker.ails.hung) return worker.ails.missed.push_back(std::move(event));
  step(worker, WeightsDamaged{"weights have changed"});
}

void VirtualCluster::happen(WeightsPacked& event) {
  Host& worker = host(event.node);
  if (worker.life != event.life) return;
  if (worker.ails.hung) return worker.ails.missed.push_back(std::move(event));
  worker.ails.damaged_at.reset();
  step(worker, PackedAgain{});
}

void VirtualCluster::happen(Alarm& event) {
  Host& sleeper = host(event.node);
  hear_kept(sleeper);  // it may sleep longer
  if (sleeper.life != event.life || sleeper.alarms != event.count) return;
  if (sleeper.ails.hung) return sleeper.ails.missed.push_back(std::move(event));
  step(sleeper, Woken{});
}

void VirtualCluster::happen(Noticed& event) {
  Host& observer = host(event.node);
  if (observer.node == nullptr) return;
  if (observer.ails.hung) return observer.ails.missed.push_back(std::move(event));
  if (event.lost)
    step(observer, PeerLost{event.peer, "its connection closed"});
  else
    step(observer, PeerSeen{event.peer});
}

void VirtualCluster::happen(Captured& event) {
  Host& owner = host(event.owner);
  if (!owner.runs()) return;
  const FrameKey key{owner.id(), owner.machine.node.life, owner.next_frame++};
  ++record_.fates.captured;
  record_.history.push_back({now(), FrameEvent::Kind::captured, key});
  frames_.open.insert(key);
  frames_.plans[key] = event.plan;
  tell(owner.id(), trace_of_capture(key, event.plan));
  owner.contents.capture(loaded(event.plan), key);
  if (owner.tensors) owner.tensors->capture(loaded(event.plan), key);
  step(owner, FrameCaptured{key.frame, event.plan, event.time_left});
}

void VirtualCluster::happen(Proposed& event) {
  Host& owner = host(event.owner);
  if (!owner.runs()) return;
  tell(owner.id(), trace_of_proposal(event.proposal));
  step(owner, event.proposal);
}

void VirtualCluster::happen(Withdrawn& event) {
  Host& owner = host(event.owner);
  if (owner.runs()) step(owner, PlanWithdrawn{event.plan});
}

void VirtualCluster::breach(NodeId node, const std::string& sentence) {
  TraceEvent event;
  event.kind = TraceEvent::Kind::failed;
  event.sentence = sentence;
  record(node, event);
  constexpr size_t enough = 20;  // to see what went wrong
  if (record_.breaches.size() < enough)
    record_.breaches.push_back(milliseconds(now().time_since_epoch()) + " ms: node " +
                               std::to_string(node.value) + " " + sentence);
}

void VirtualCluster::record(NodeId node, TraceEvent event) {
  event.at = now();
  event.node = node;
  record_.hash.add(event);
  if (options_.on_trace) options_.on_trace(event);
  if (options_.keep_trace) record_.trace.push_back(std::move(event));
}

void VirtualCluster::tell(NodeId node, TraceEvent event) {
  if (!options_.on_trace) return;
  event.at = now();
  event.node = node;
  options_.on_trace(event);
}

uint64_t VirtualCluster::wrong_frames(Time captured) const {
  const auto counts = [&](const FrameEvent& event) {
    return event.kind == FrameEvent::Kind::captured && event.at >= captured &&
           record_.wrong_frames.contains(event.key);
  };
  return static_cast<uint64_t>(
      std::count_if(record_.history.begin(), record_.history.end(), counts));
}

int64_t VirtualCluster::most_canvas_bytes(NodeId id) const {
  return hosts_[index_of(id)]->meter.most_bytes();
}

size_t VirtualCluster::canvases_left() const {
  size_t count = 0;
  for (const auto& host : hosts_)
    if (host->runs() && !host->ails.stalled) count += host->contents.count();
  return count;
}

}  // namespace shingle::sim
