// Machines that fall and rise, wires that break and mend.
#include <algorithm>
#include <utility>

#include "sim/cluster_host.hpp"

namespace shingle::sim {

// --- the script ---

void VirtualCluster::crash(Time at, NodeId node) {
  schedule(at, NodeFault{NodeFault::Kind::crash, node});
}
void VirtualCluster::lose_power(Time at, NodeId node) {
  schedule(at, NodeFault{NodeFault::Kind::lose_power, node});
}
void VirtualCluster::abandon(Time at, NodeId node) {
  schedule(at, NodeFault{NodeFault::Kind::abandon, node});
}
void VirtualCluster::abandon_wire(Time at, NodeId a, NodeId b) {
  schedule(at, WireFault{WireFault::Kind::abandon_wire, a, b});
}
void VirtualCluster::half_open(Time at, NodeId a, NodeId b) {
  schedule(at, WireFault{WireFault::Kind::half_open, a, b});
}
void VirtualCluster::lie(Time at, NodeId node) {
  schedule(at, NodeFault{NodeFault::Kind::lie, node});
}
void VirtualCluster::restart(Time at, NodeId node) {
  schedule(at, NodeFault{NodeFault::Kind::restart, node});
}
void VirtualCluster::hang(Time at, NodeId node) {
  schedule(at, NodeFault{NodeFault::Kind::hang, node});
}
void VirtualCluster::wake(Time at, NodeId node) {
  schedule(at, NodeFault{NodeFault::Kind::wake, node});
}
void VirtualCluster::slow(Time at, NodeId node, double factor) {
  schedule(at, NodeFault{NodeFault::Kind::slow, node, factor});
}
void VirtualCluster::disconnect(Time at, NodeId a, NodeId b) {
  schedule(at, WireFault{WireFault::Kind::cut, a, b});
}
void VirtualCluster::reconnect(Time at, NodeId a, NodeId b) {
  schedule(at, WireFault{WireFault::Kind::mend, a, b});
}
void VirtualCluster::reset(Time at, NodeId a, NodeId b) {
  schedule(at, WireFault{WireFault::Kind::reset, a, b});
}
void VirtualCluster::clog(Time at, NodeId from, NodeId to) {
  schedule(at, WireFault{WireFault::Kind::clog, from, to});
}
void VirtualCluster::unclog(Time at, NodeId from, NodeId to) {
  schedule(at, WireFault{WireFault::Kind::unclog, from, to});
}
void VirtualCluster::spoil(Time at, NodeId node, double share) {
  schedule(at, NodeFault{NodeFault::Kind::spoil, node, share});
}
void VirtualCluster::spoil_borrowed(Time at, NodeId node, double share) {
  schedule(at, NodeFault{NodeFault::Kind::spoil_borrowed, node, share});
}
void VirtualCluster::damage_weights(Time at, NodeId node) {
  schedule(at, NodeFault{NodeFault::Kind::damage_weights, node});
}
void VirtualCluster::break_executor(Time at, NodeId node) {
  schedule(at, NodeFault{NodeFault::Kind::break_executor, node});
}
void VirtualCluster::stall(Time at, NodeId node) {
  schedule(at, NodeFault{NodeFault::Kind::stall, node});
}
void VirtualCluster::resume(Time at, NodeId node) {
  schedule(at, NodeFault{NodeFault::Kind::resume, node});
}
void VirtualCluster::corrupt(Time at, NodeId from, NodeId to) {
  schedule(at, WireFault{WireFault::Kind::corrupt, from, to});
}
void VirtualCluster::squeeze(Time at, NodeId node) {
  schedule(at, NodeFault{NodeFault::Kind::squeeze, node});
}
void VirtualCluster::relieve(Time at, NodeId node) {
  schedule(at, NodeFault{NodeFault::Kind::relieve, node});
}
void VirtualCluster::speak(Time at, NodeId node, uint32_t version) {
  schedule(at, NodeFault{NodeFault::Kind::speak, node, 1.0, version});
}
void VirtualCluster::tangle(Time at, NodeId a, NodeId b) {
  schedule(at, WireFault{WireFault::Kind::tangle, a, b});
}
void VirtualCluster::untangle(Time at, NodeId a, NodeId b) {
  schedule(at, WireFault{WireFault::Kind::untangle, a, b});
}

// --- machines ---

// A process draws its life's number: lower than the one before it as often as higher.
void VirtualCluster::boot(Host& host) {
  ++host.life;
  host.machine.node.life = mix(mix(options_.seed, host.id().value), host.life);
  host.node = std::make_unique<Node>(host.machine.node);
  host.contents = ContentStore(options_.contents != Contents::shape);
  if (expected_.wrong_tiles) host.contents.allow_differing_copies();
  host.meter = CanvasMeter();
  if (options_.contents == Contents::full)
    host.tensors.emplace(host.id(), options_.make_executor());
  host.next_frame = 1;
  host.last_delivered.clear();
  host.ails.hung = host.ails.broken = host.ails.stalled = false;
  host.weights.packed_at = {};
  host.ails.damaged_at.reset();
  host.ails.missed.clear();
  host.ails.unfinished.clear();
}

// Its frames die with it: nobody is left who could report their fate.
void VirtualCluster::fall(Host& host, Ending ending) {
  if (host.node == nullptr) return;
  hear_kept(host);
  stop_board(host, ending);
  host.node.reset();
  attend(host);
  record_.history.push_back(
      {now(), FrameEvent::Kind::owner_died, {host.id(), host.machine.node.life, 0}});
  ++host.life;
  std::erase_if(frames_.open, [&](const FrameKey& key) {
    record_.fates.captured -= key.owner == host.id() ? 1 : 0;
    return key.owner == host.id();
  });
  for (const auto& other : hosts_)
    if (other->id() != host.id()) part(host.id(), other->id(), ending);
}

void VirtualCluster::wake(Host& host) {
  if (!host.ails.hung) return;
  host.ails.hung = false;
  std::vector<SimEvent> missed = std::move(host.ails.missed);
  host.ails.missed.clear();
  for (SimEvent& event : missed) schedule(now(), std::move(event));
}

void VirtualCluster::expect_wrong_tiles() {
  expected_.wrong_tiles = true;
  for (const auto& host : hosts_) host->contents.allow_differing_copies();
}

void VirtualCluster::begin_lying(Host& subject) {
  expected_.honest = false;
  subject.liar.emplace();
  subject.liar->dice = Random(mix(options_.seed, subject.id().value));
  subject.liar->keeps_grants = subject.liar->dice.chance(0.3);
  expect_wrong_tiles();
}

void VirtualCluster::start_anew(Host& subject) {
  if (subject.node != nullptr) return;
  start_board(subject);
  boot(subject);
  for (const auto& other : hosts_)
    if (other->node != nullptr && other->id() != subject.id()) connect(subject.id(), other->id());
}

void VirtualCluster::unclog(NodeId from, NodeId to) {
  auto clog = faults_.clogged.extract(std::pair(from, to));
  if (clog.empty()) return;
  for (Cargo& cargo : clog.mapped()) cross(std::move(cargo));
}

void VirtualCluster::begin_spoiling(Host& subject, double share, bool borrowed_only) {
  subject.ails.spoils = share;
  subject.ails.spoils_borrowed_only = borrowed_only;
  subject.ails.dice = Random(mix(options_.seed, subject.id().value));
  expect_wrong_tiles();
}

void VirtualCluster::damage_weights(Host& subject) {
  if (subject.node == nullptr) return;
  subject.ails.dice = Random(mix(options_.seed, subject.id().value));
  subject.ails.damaged_at = subject.ails.dice.uniform();
  expect_wrong_tiles();
}

void VirtualCluster::resume_executor(Host& subject) {
  subject.ails.stalled = false;
  for (SimEvent& computed : std::exchange(subject.ails.unfinished, {}))
    schedule(now(), std::move(computed));
}

void VirtualCluster::speak_version(Host& subject, uint32_t version) {
  expected_.honest = false;  // its greetings will be refused
  subject.version = version;
}

void VirtualCluster::happen(NodeFault& event) {
  Host& subject = host(event.node);
  hear_kept(subject);
  strike(subject, event);
  attend(subject);
}

void VirtualCluster::strike(Host& subject, const NodeFault& event) {
  using Kind = NodeFault::Kind;
  switch (event.kind) {
    case Kind::crash:
      return fall(subject);
    case Kind::lose_power:
      return fall(subject, Ending::silent);
    case Kind::abandon:
      return void(subject.ails.abandoned = true);
    case Kind::lie:
      return begin_lying(subject);
    case Kind::restart:
      return subject.ails.abandoned ? void() : start_anew(subject);
    case Kind::hang:
      return void(subject.ails.hung = subject.node != nullptr);
    case Kind::wake:
      return subject.ails.abandoned ? void() : wake(subject);
    case Kind::slow:
      return slow_down(subject, event.factor);
    case Kind::spoil:
    case Kind::spoil_borrowed:
      return begin_spoiling(subject, event.factor, event.kind == Kind::spoil_borrowed);
    case Kind::damage_weights:
      return damage_weights(subject);
    case Kind::break_executor:
      return void(subject.ails.broken = true);
    case Kind::stall:
      return void(subject.ails.stalled = subject.node != nullptr);
    case Kind::resume:
      return subject.ails.abandoned ? void() : resume_executor(subject);
    case Kind::squeeze:
      return void(subject.ails.squeezed = true);
    case Kind::relieve:
      return void(subject.ails.squeezed = false);
    case Kind::speak:
      return speak_version(subject, event.version);
  }
}

void VirtualCluster::happen(WireFault& event) {
  using Kind = WireFault::Kind;
  switch (event.kind) {
    case Kind::abandon_wire:
      faults_.abandoned.insert(std::minmax(event.node, event.other));
      return part(event.node, event.other);
    case Kind::half_open:
      return half_begin_anew(event.node, event.other);
    case Kind::cut:
      return part(event.node, event.other);
    case Kind::mend:
      if (host(event.node).node != nullptr && host(event.other).node != nullptr)
        connect(event.node, event.other);
      return;
    case Kind::reset:
      return begin_anew(event.node, event.other);
    case Kind::clog:
      faults_.clogged.try_emplace({event.node, event.other});
      return;
    case Kind::unclog:
      return unclog(event.node, event.other);
    case Kind::corrupt:
      faults_.corrupting.insert({event.node, event.other});
      return;
    case Kind::tangle:
      expected_.honest = false;
      faults_.tangled.insert(std::minmax(event.node, event.other));
      return;
    case Kind::untangle:
      if (faults_.tangled.erase(std::minmax(event.node, event.other)) > 0)
        begin_anew(event.node, event.other);
      return;
  }
}

}  // namespace shingle::sim
