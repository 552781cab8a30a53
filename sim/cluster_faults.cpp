// Machines that fall and rise, wires that break and mend.
#include <algorithm>
#include <utility>

#include "sim/cluster_host.hpp"

namespace shingle::sim {

void VirtualCluster::boot(Host& host) {
  ++host.life;
  host.node = std::make_unique<Node>(host.machine.node);
  host.patches = PatchStore(options_.contents != Contents::shape);
  host.meter = CanvasMeter();
  if (options_.contents == Contents::full)
    host.tensors.emplace(host.id(), options_.make_executor());
  host.next_frame = 1;
  host.last_delivered = 0;
  host.hung = host.broken = host.stalled = false;
  host.missed.clear();
  host.unfinished.clear();
}

// Its frames die with it: nobody is left who could report their fate.
void VirtualCluster::fall(Host& host) {
  if (host.node == nullptr) return;
  host.node.reset();
  history_.push_back(
      {now(), FrameEvent::Kind::owner_died, {host.id(), host.machine.node.incarnation, 0}});
  ++host.life;
  ++host.machine.node.incarnation;
  std::erase_if(open_frames_, [&](const FrameKey& key) {
    fates_.captured -= key.owner == host.id() ? 1 : 0;
    return key.owner == host.id();
  });
  for (const auto& other : hosts_)
    if (other->id() != host.id()) part(host.id(), other->id());
}

void VirtualCluster::wake(Host& host) {
  if (!host.hung) return;
  host.hung = false;
  std::vector<Happening> missed = std::move(host.missed);
  host.missed.clear();
  for (Happening& happening : missed) plan_happening(now(), std::move(happening));
}

void VirtualCluster::cross(Cargo cargo) {
  const int64_t bytes = header_bytes(cargo->message) + cargo->payload_bytes;
  const Time at = network_.cross(cargo->from, cargo->to, bytes, now());
  plan_happening(at, AtPort{std::move(cargo)});
}

void VirtualCluster::connect(NodeId a, NodeId b) {
  parted_.erase(std::minmax(a, b));
  plan_happening(now() + network_.latency(), Noticed{a, b, false});
  plan_happening(now() + network_.latency(), Noticed{b, a, false});
}

void VirtualCluster::part(NodeId a, NodeId b) {
  const Pair pair = std::minmax(a, b);
  if (!parted_.insert(pair).second) return;
  ++breaks_[pair];
  plan_happening(now() + network_.latency(), Noticed{a, b, true});
  plan_happening(now() + network_.latency(), Noticed{b, a, true});
}

void VirtualCluster::happen(Turn& event) {
  Host& subject = host(event.node);
  switch (event.kind) {
    case Turn::Kind::crash:
      return fall(subject);
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
      if (parted_.contains(std::minmax(event.node, event.other))) return;
      part(event.node, event.other);
      return connect(event.node, event.other);
    case Turn::Kind::clog:
      clogged_.try_emplace({event.node, event.other});
      return;
    case Turn::Kind::unclog: {
      auto clog = clogged_.extract(std::pair(event.node, event.other));
      if (clog.empty()) return;
      for (Cargo& cargo : clog.mapped()) cross(std::move(cargo));
      return;
    }
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
  }
}

}  // namespace shingle::sim
