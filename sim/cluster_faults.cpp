// Machines that fall and rise, wires that break and mend.
#include <algorithm>
#include <utility>

#include "sim/cluster_host.hpp"

namespace shingle::sim {

// --- the script ---

void VirtualCluster::crash(Time at, NodeId node) {
  plan_happening(at, Turn{Turn::Kind::crash, node, {}});
}
void VirtualCluster::lose_power(Time at, NodeId node) {
  plan_happening(at, Turn{Turn::Kind::lose_power, node, {}});
}
void VirtualCluster::abandon(Time at, NodeId node) {
  plan_happening(at, Turn{Turn::Kind::abandon, node, {}});
}
void VirtualCluster::abandon_wire(Time at, NodeId a, NodeId b) {
  plan_happening(at, Turn{Turn::Kind::abandon_wire, a, b});
}
void VirtualCluster::half_open(Time at, NodeId a, NodeId b) {
  plan_happening(at, Turn{Turn::Kind::half_open, a, b});
}
void VirtualCluster::lie(Time at, NodeId node) {
  plan_happening(at, Turn{Turn::Kind::lie, node, {}});
}
void VirtualCluster::restart(Time at, NodeId node) {
  plan_happening(at, Turn{Turn::Kind::restart, node, {}});
}
void VirtualCluster::hang(Time at, NodeId node) {
  plan_happening(at, Turn{Turn::Kind::hang, node, {}});
}
void VirtualCluster::wake(Time at, NodeId node) {
  plan_happening(at, Turn{Turn::Kind::wake, node, {}});
}
void VirtualCluster::slow(Time at, NodeId node, double factor) {
  plan_happening(at, Turn{Turn::Kind::slow, node, {}, factor});
}
void VirtualCluster::disconnect(Time at, NodeId a, NodeId b) {
  plan_happening(at, Turn{Turn::Kind::cut, a, b});
}
void VirtualCluster::reconnect(Time at, NodeId a, NodeId b) {
  plan_happening(at, Turn{Turn::Kind::mend, a, b});
}
void VirtualCluster::reset(Time at, NodeId a, NodeId b) {
  plan_happening(at, Turn{Turn::Kind::reset, a, b});
}
void VirtualCluster::clog(Time at, NodeId from, NodeId to) {
  plan_happening(at, Turn{Turn::Kind::clog, from, to});
}
void VirtualCluster::unclog(Time at, NodeId from, NodeId to) {
  plan_happening(at, Turn{Turn::Kind::unclog, from, to});
}
void VirtualCluster::spoil(Time at, NodeId node, double share) {
  plan_happening(at, Turn{Turn::Kind::spoil, node, {}, share});
}
void VirtualCluster::spoil_borrowed(Time at, NodeId node, double share) {
  plan_happening(at, Turn{Turn::Kind::spoil_borrowed, node, {}, share});
}
void VirtualCluster::damage_weights(Time at, NodeId node) {
  plan_happening(at, Turn{Turn::Kind::damage_weights, node, {}});
}
void VirtualCluster::break_executor(Time at, NodeId node) {
  plan_happening(at, Turn{Turn::Kind::break_executor, node, {}});
}
void VirtualCluster::stall(Time at, NodeId node) {
  plan_happening(at, Turn{Turn::Kind::stall, node, {}});
}
void VirtualCluster::resume(Time at, NodeId node) {
  plan_happening(at, Turn{Turn::Kind::resume, node, {}});
}
void VirtualCluster::corrupt(Time at, NodeId from, NodeId to) {
  plan_happening(at, Turn{Turn::Kind::corrupt, from, to});
}
void VirtualCluster::squeeze(Time at, NodeId node) {
  plan_happening(at, Turn{Turn::Kind::squeeze, node, {}});
}
void VirtualCluster::relieve(Time at, NodeId node) {
  plan_happening(at, Turn{Turn::Kind::relieve, node, {}});
}
void VirtualCluster::speak(Time at, NodeId node, uint32_t version) {
  plan_happening(at, Turn{Turn::Kind::speak, node, {}, 1.0, version});
}
void VirtualCluster::tangle(Time at, NodeId a, NodeId b) {
  plan_happening(at, Turn{Turn::Kind::tangle, a, b});
}
void VirtualCluster::untangle(Time at, NodeId a, NodeId b) {
  plan_happening(at, Turn{Turn::Kind::untangle, a, b});
}

// --- machines ---

// A process draws its life's number: lower than the one before it as often as higher.
void VirtualCluster::boot(Host& host) {
  ++host.life;
  host.machine.node.life = mix(mix(options_.seed, host.id().value), host.life);
  host.node = std::make_unique<Node>(host.machine.node);
  host.patches = PatchStore(options_.contents != Contents::shape);
  if (anybody_spoils_) host.patches.allow_differing_copies();
  host.meter = CanvasMeter();
  if (options_.contents == Contents::full)
    host.tensors.emplace(host.id(), options_.make_executor());
  host.next_frame = 1;
  host.last_delivered.clear();
  host.hung = host.broken = host.stalled = false;
  host.packs_until = {};
  host.damaged_at.reset();
  host.missed.clear();
  host.unfinished.clear();
}

// Its frames die with it: nobody is left who could report their fate.
void VirtualCluster::fall(Host& host, Ending ending) {
  if (host.node == nullptr) return;
  host.node.reset();
  history_.push_back({now(), FrameEvent::Kind::owner_died, {host.id(), host.machine.node.life, 0}});
  ++host.life;
  std::erase_if(open_frames_, [&](const FrameKey& key) {
    fates_.captured -= key.owner == host.id() ? 1 : 0;
    return key.owner == host.id();
  });
  for (const auto& other : hosts_)
    if (other->id() != host.id()) part(host.id(), other->id(), ending);
}

void VirtualCluster::wake(Host& host) {
  if (!host.hung) return;
  host.hung = false;
  std::vector<Happening> missed = std::move(host.missed);
  host.missed.clear();
  for (Happening& happening : missed) plan_happening(now(), std::move(happening));
}

void VirtualCluster::expect_wrong_tiles() {
  anybody_spoils_ = true;
  for (const auto& host : hosts_) host->patches.allow_differing_copies();
}

void VirtualCluster::happen(Turn& event) {
  Host& subject = host(event.node);
  const bool mends = event.kind == Turn::Kind::restart || event.kind == Turn::Kind::wake ||
                     event.kind == Turn::Kind::resume;
  if (mends && subject.abandoned) return;
  switch (event.kind) {
    case Turn::Kind::crash:
      return fall(subject);
    case Turn::Kind::lose_power:
      return fall(subject, Ending::silent);
    case Turn::Kind::abandon:
      subject.abandoned = true;
      return;
    case Turn::Kind::abandon_wire:
      abandoned_.insert(std::minmax(event.node, event.other));
      return part(event.node, event.other);
    case Turn::Kind::half_open:
      return half_begin_anew(event.node, event.other);
    case Turn::Kind::lie:
      honest_ = false;
      subject.liar.emplace();
      subject.liar->dice = Random(mix(options_.seed, event.node.value));
      subject.liar->keeps_grants = subject.liar->dice.chance(0.3);
      return expect_wrong_tiles();
    case Turn::Kind::restart:
      if (subject.node != nullptr) return;
      boot(subject);
      for (const auto& other : hosts_)
        if (other->node != nullptr && other->id() != subject.id())
          connect(subject.id(), other->id());
      return;
    case Turn::Kind::hang:
      subject.hung = subject.node != nullptr;
      return;
    case Turn::Kind::wake:
      return wake(subject);
    case Turn::Kind::slow:
      subject.slowness = event.factor;
      return;
    case Turn::Kind::cut:
      return part(event.node, event.other);
    case Turn::Kind::mend:
      if (subject.node != nullptr && host(event.other).node != nullptr)
        connect(event.node, event.other);
      return;
    case Turn::Kind::reset:
      return begin_anew(event.node, event.other);
    case Turn::Kind::clog:
      clogged_.try_emplace({event.node, event.other});
      return;
    case Turn::Kind::unclog: {
      auto clog = clogged_.extract(std::pair(event.node, event.other));
      if (clog.empty()) return;
      for (Cargo& cargo : clog.mapped()) cross(std::move(cargo));
      return;
    }
    case Turn::Kind::spoil:
    case Turn::Kind::spoil_borrowed:
      subject.spoils = event.factor;
      subject.spoils_borrowed_only = event.kind == Turn::Kind::spoil_borrowed;
      subject.dice = Random(mix(options_.seed, event.node.value));
      return expect_wrong_tiles();
    case Turn::Kind::damage_weights:
      if (subject.node == nullptr) return;
      subject.dice = Random(mix(options_.seed, event.node.value));
      subject.damaged_at = subject.dice.uniform();
      return expect_wrong_tiles();
    case Turn::Kind::break_executor:
      subject.broken = true;
      return;
    case Turn::Kind::stall:
      subject.stalled = subject.node != nullptr;
      return;
    case Turn::Kind::resume:
      subject.stalled = false;
      for (Happening& computed : std::exchange(subject.unfinished, {}))
        plan_happening(now(), std::move(computed));
      return;
    case Turn::Kind::corrupt:
      corrupting_.insert({event.node, event.other});
      return;
    case Turn::Kind::squeeze:
      subject.squeezed = true;
      return;
    case Turn::Kind::relieve:
      subject.squeezed = false;
      return;
    case Turn::Kind::speak:
      honest_ = false;  // its greetings will be refused
      subject.version = event.version;
      return;
    case Turn::Kind::tangle:
      honest_ = false;
      tangled_.insert(std::minmax(event.node, event.other));
      return;
    case Turn::Kind::untangle:
      if (tangled_.erase(std::minmax(event.node, event.other)) > 0)
        begin_anew(event.node, event.other);
      return;
  }
}

}  // namespace shingle::sim
