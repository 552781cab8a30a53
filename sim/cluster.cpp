#include "sim/cluster.hpp"

#include <algorithm>
#include <cassert>

#include "runtime/protocol/load_plan.hpp"
#include "sim/cluster_host.hpp"

namespace shingle::sim {

VirtualCluster::VirtualCluster(ClusterOptions options, const Model& model)
    : options_(std::move(options)),
      models_{{model.hash, &model}},
      network_(options_.network, options_.seed),
      stray_random_(mix(options_.seed, 1)) {
  std::vector<NodeId> members;
  for (const Machine& machine : options_.machines) members.push_back(machine.node.id);
  for (const Machine& machine : options_.machines) {
    auto host = std::make_unique<Host>();
    host->machine = machine;
    host->machine.node.members = members;
    host->contents = ContentStore(options_.contents != Contents::shape);
    if (machine.bytes_per_second > 0) network_.set_rate(machine.node.id, machine.bytes_per_second);
    hosts_.push_back(std::move(host));
  }
  if (options_.contents == Contents::full) oracle_ = options_.make_executor();
  for (const auto& host : hosts_) boot(*host);
  for (size_t a = 0; a < members.size(); ++a)
    for (size_t b = a + 1; b < members.size(); ++b) connect(members[a], members[b]);
}

VirtualCluster::~VirtualCluster() = default;

VirtualCluster::Host& VirtualCluster::host(NodeId id) {
  const auto place = std::find_if(hosts_.begin(), hosts_.end(),
                                  [&](const auto& host) { return host->id() == id; });
  assert(place != hosts_.end());
  return **place;
}

bool VirtualCluster::is_up(NodeId id) const {
  return const_cast<VirtualCluster*>(this)->host(id).node != nullptr;
}

bool VirtualCluster::hangs(NodeId id) const {
  return const_cast<VirtualCluster*>(this)->host(id).ails.hung;
}

const Node& VirtualCluster::node(NodeId id) const {
  const Host& found = const_cast<VirtualCluster*>(this)->host(id);
  assert(found.node != nullptr);
  return *found.node;
}

// --- the script ---

void VirtualCluster::propose(Time at, NodeId owner, const Plan& plan) {
  const PlanHash hash = hash_of(plan);
  if (!plans_.contains(hash))
    plans_[hash] = {print(plan),
                    std::make_shared<const LoadedPlan>(trusted_plan(model_of(plan), plan))};
  schedule(at, Proposed{owner, {hash, plan.model, plans_[hash].text}});
}

void VirtualCluster::withdraw(Time at, NodeId owner, const PlanHash& plan) {
  schedule(at, Withdrawn{owner, plan});
}

void VirtualCluster::capture(Time at, NodeId owner, const PlanHash& plan, Duration time_left) {
  schedule(at, Captured{owner, plan, time_left});
}

// --- the loop ---

bool VirtualCluster::run(Time until) {
  while (!at_rest()) {
    if (queue_.empty() || queue_.next_at() > until) return false;
    SimEvent event = queue_.take();
    if (!is_background(event)) --foreground_;
    ++record_.events;
    std::visit([this](auto& each) { happen(each); }, event);
  }
  return true;
}

void VirtualCluster::schedule(Time at, SimEvent event) {
  if (!is_background(event)) ++foreground_;
  queue_.push(at, std::move(event));
}

// Beats and their timers go on for ever.
bool VirtualCluster::is_background(const SimEvent& event) {
  const auto is_beat = [](const Cargo& cargo) {
    return cargo != nullptr && std::holds_alternative<Beat>(cargo->message);
  };
  if (const auto* port = std::get_if<AtPort>(&event)) return is_beat(port->cargo);
  if (const auto* arrived = std::get_if<Arrived>(&event)) return is_beat(arrived->cargo);
  return std::holds_alternative<Alarm>(event);
}

// A tile that hangs keeps its node from being idle, but not its node's frames from ending.
bool VirtualCluster::at_rest() const {
  const auto has_ended = [&](const auto& host) {
    const auto first = frames_.open.lower_bound({host->id(), 0, 0});
    return first == frames_.open.end() || first->owner != host->id();
  };
  return foreground_ == 0 && std::all_of(hosts_.begin(), hosts_.end(), [&](const auto& host) {
           return host->node == nullptr || host->ails.hung || host->node->idle() ||
                  (host->ails.stalled && has_ended(host));
         });
}

void VirtualCluster::step(Host& host, const Event& event, const InFlight* cargo) {
  at_hand_ = cargo;
  actions_.clear();
  host.node->step(now() + host.machine.clock_offset, event, actions_);
  for (Action& action : actions_) std::visit([&](auto& each) { carry_out(host, each); }, action);
  at_hand_ = nullptr;
  for (const std::string& broken : host.node->broken_invariants()) breach(host.id(), broken);
  if (expected_.honest && host.node->counters().messages_refused > 0)
    breach(host.id(), "refused an honest message");
}

// --- what happens ---

void VirtualCluster::happen(AtPort& event) {
  InFlight& cargo = *event.cargo;
  const int64_t bytes = header_bytes(cargo.message) + cargo.payload_bytes;
  const Time at = network_.enter(cargo.to, bytes, now());
  schedule(at, Arrived{std::move(event.cargo)});
}

void VirtualCluster::happen(Arrived& event) {
  const InFlight& cargo = *event.cargo;
  Host& receiver = host(cargo.to);
  if (receiver.node == nullptr || is_lost(cargo)) return;
  if (receiver.ails.hung) return receiver.ails.missed.push_back(std::move(event));
  if (std::holds_alternative<Piece>(cargo.message) &&
      faults_.corrupting.erase({cargo.from, cargo.to}) > 0)
    return begin_anew(cargo.from, cargo.to);
  TraceEvent trace =
      trace_of_message(TraceEvent::Kind::received, cargo.message, cargo.payload_bytes);
  trace.peer = cargo.from;
  record(cargo.to, trace);
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
  const KnownText& known = plans_.at(event.plan);
  const Result<LoadedPlan> checked =
      load_plan(model_of(known.loaded->plan), known.text, event.plan);
  if (!checked) return checked.failure();
  return known.loaded;
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
  TraceEvent trace;
  trace.kind = TraceEvent::Kind::computed;
  trace.length = event.compute_time;
  trace.key = order.key;
  trace.tile = order.tile;
  record(worker.id(), trace);
  step(worker,
       TileComputed{order.key, order.tile, order.attempt, order.place, event.compute_time, status,
                    order.audited ? worker.contents.content(plan, order) : TileContent{}});
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
  owner.contents.capture(loaded(event.plan), key);
  if (owner.tensors) owner.tensors->capture(loaded(event.plan), key);
  step(owner, FrameCaptured{key.frame, event.plan, event.time_left});
}

void VirtualCluster::happen(Proposed& event) {
  Host& owner = host(event.owner);
  if (owner.runs()) step(owner, event.proposal);
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
  if (options_.keep_trace) record_.trace.push_back(std::move(event));
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
  const auto is_it = [&](const auto& host) { return host->id() == id; };
  return (*std::find_if(hosts_.begin(), hosts_.end(), is_it))->meter.most_bytes();
}

size_t VirtualCluster::canvases_left() const {
  size_t count = 0;
  for (const auto& host : hosts_)
    if (host->runs() && !host->ails.stalled) count += host->contents.count();
  return count;
}

}  // namespace shingle::sim
