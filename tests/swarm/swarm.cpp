#include "tests/swarm/swarm.hpp"

#include "devices/reference.hpp"
#include "partition/planner.hpp"
#include "sim/random.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::swarm {

namespace {

using sim::ClusterOptions;
using sim::Machine;
using sim::Random;
using sim::VirtualCluster;
using std::chrono::milliseconds;

constexpr Duration rest_awaited = std::chrono::minutes(10);
constexpr Time calm = Time{} + std::chrono::seconds(3);  // faults end, and what is broken is mended
// From here on nothing may fail: silences have been noticed, sessions stand again.
constexpr Time settled = calm + std::chrono::seconds(10);

Time at_ms(int64_t ms) { return Time{} + milliseconds(ms); }

NodeLimits random_limits(Random& random) {
  NodeLimits limits;
  limits.compute_slots = static_cast<uint32_t>(random.between(1, 2));
  limits.open_frames = static_cast<uint32_t>(random.between(1, 4));
  limits.waiting_frames = static_cast<uint32_t>(random.between(1, 4));
  limits.drop = random.chance(0.5) ? DropPolicy::drop_oldest : DropPolicy::refuse_newest;
  limits.frame_slots = static_cast<uint32_t>(random.between(1, 5));
  limits.link_window_bytes = random.between(1000, 100'000);
  limits.steals = random.chance(0.8);
  limits.steal_keep = static_cast<uint32_t>(random.between(0, 2));
  limits.link_bytes_per_second = random.chance(0.5) ? 1'000'000'000 : 1'000'000;
  limits.silence_allowed = milliseconds(random.between(300, 1500));
  return limits;
}

ClusterOptions random_cluster(const Options& wanted, Random& random) {
  ClusterOptions options;
  options.seed = wanted.seed;
  options.contents = wanted.contents;
  options.keep_trace = wanted.keep_trace;
  options.make_executor = [] { return std::make_unique<ReferenceExecutor>(); };
  options.network.latency = std::chrono::microseconds(random.between(10, 5000));
  options.network.bytes_per_second = random.between(100'000, 20'000'000);
  options.network.loss = random.chance(0.3) ? 0.02 : 0.0;
  const auto drawn = static_cast<uint32_t>(random.between(1, 8));
  const uint32_t count = wanted.machines > 0 ? wanted.machines : drawn;
  for (uint32_t id = 0; id < count; ++id) {
    Machine machine;
    machine.node.id = NodeId{id};
    machine.node.arithmetic_class = "virtual";
    machine.node.limits = random_limits(random);
    machine.node.seed = wanted.seed;
    machine.gflops = 0.002 * random.between(1, 40);
    if (random.chance(0.5)) machine.clock_offset = milliseconds(random.between(0, 1'000'000));
    options.machines.push_back(machine);
  }
  return options;
}

Plan random_plan(const Model& model, const ClusterOptions& cluster, Random& random) {
  Cluster homes;
  for (const Machine& machine : cluster.machines)
    if (homes.nodes.empty() || random.chance(0.8))
      homes.nodes.push_back({machine.node.id, machine.gflops, 100.0, 0});
  PlanOptions options;
  for (uint32_t layer = 0; layer + 1 < model.layers.size(); ++layer)
    if (random.chance(0.3)) options.cut_after.push_back({layer});
  options.grid = {random.between(1, 4), random.between(1, 4)};
  return grid_plan(model, homes, options);
}

// Breaks things before the calm, and mends them at the latest when it comes.
class Saboteur {
 public:
  Saboteur(VirtualCluster& cluster, size_t machines, Random& random)
      : cluster_(cluster), machines_(machines), random_(random) {}

  void strike() {
    at_ = at_ms(random_.between(0, 2000));
    until_ = std::min(calm, at_ + milliseconds(random_.between(1, 3000)));
    const NodeId victim = any();
    const NodeId other = machines_ > 1 ? another(victim) : victim;
    switch (random_.between(0, machines_ > 1 ? 9 : 4)) {
      case 0:
        return crash(victim);
      case 1:
        cluster_.hang(at_, victim);
        return cluster_.wake(until_, victim);
      case 2:
        cluster_.slow(at_, victim, random_.between(2, 20));
        return cluster_.slow(until_, victim, 1.0);
      case 3:
        return break_executor(victim);
      case 4:
        cluster_.stall(at_, victim);
        return cluster_.resume(until_, victim);
      case 5:
        return part(victim, other);
      case 6:
        return cluster_.reset(at_, victim, other);
      case 7:
        return clog(victim, other);
      case 8:
        clog(victim, other);
        return clog(other, victim);
      default:
        return split();
    }
  }

  bool broke_executors() const { return broke_executors_; }

 private:
  NodeId any() { return NodeId{static_cast<uint32_t>(random_.next() % machines_)}; }
  NodeId another(NodeId than) {
    const auto step = 1 + random_.next() % (machines_ - 1);
    return NodeId{static_cast<uint32_t>((than.value + step) % machines_)};
  }
  void crash(NodeId victim) {
    cluster_.crash(at_, victim);
    cluster_.restart(until_, victim);
  }
  // Until it is started anew.
  void break_executor(NodeId victim) {
    broke_executors_ = true;
    cluster_.break_executor(at_, victim);
    cluster_.crash(until_, victim);
    cluster_.restart(until_ + milliseconds(1), victim);
  }
  void part(NodeId a, NodeId b) {
    cluster_.disconnect(at_, a, b);
    cluster_.reconnect(until_, a, b);
  }
  void clog(NodeId from, NodeId to) {
    cluster_.clog(at_, from, to);
    cluster_.unclog(until_, from, to);
  }
  void split() {
    const uint64_t side = random_.next();
    for (uint32_t a = 0; a < machines_; ++a)
      for (uint32_t b = a + 1; b < machines_; ++b)
        if (((side >> a) & 1U) != ((side >> b) & 1U)) part({a}, {b});
  }

  VirtualCluster& cluster_;
  size_t machines_;
  Random& random_;
  Time at_{}, until_{};
  bool broke_executors_ = false;
};

// Restarts may meet wires that were cut meanwhile, and the other way round.
void mend_all(VirtualCluster& cluster, size_t machines) {
  const Time at = calm + milliseconds(2);
  for (uint32_t a = 0; a < machines; ++a) {
    cluster.wake(at, {a});
    cluster.resume(at, {a});
    cluster.slow(at, {a}, 1.0);
    for (uint32_t b = 0; b < machines; ++b) {
      if (a == b) continue;
      cluster.unclog(at, {a}, {b});
      if (a < b) cluster.reconnect(at, {a}, {b});
    }
  }
}

void add_frames(VirtualCluster& cluster, NodeId owner, const Plan& plan, Random& random) {
  const PlanHash hash = hash_of(plan);
  cluster.propose(at_ms(1), owner, plan);
  const auto frames = [&](Time first, int32_t count, int32_t period) {
    for (int32_t frame = 0; frame < count; ++frame)
      cluster.capture(first + milliseconds(frame * period), owner, hash, milliseconds(200));
  };
  frames(at_ms(2), random.between(1, 6), random.between(0, 100));
  frames(at_ms(500), random.between(0, 6), random.between(0, 400));
  cluster.propose(calm + milliseconds(10), owner, plan);  // it may have been started anew
  frames(settled, random.between(1, 3), random.between(0, 100));
}

size_t orphans(const VirtualCluster& cluster) {
  return count(cluster.history(), sim::FrameEvent::Kind::captured) - cluster.fates().captured;
}

void judge(const VirtualCluster& cluster, bool at_rest, bool executors_hold, Verdict& verdict) {
  verdict.violations = cluster.breaches();
  const auto say = [&](std::string sentence) { verdict.violations.push_back(std::move(sentence)); };
  for (std::string& defect : defects(cluster.history())) say(std::move(defect));
  if (!at_rest) say("the cluster did not come to rest");
  if (cluster.canvases_left() > 0)
    say(std::to_string(cluster.canvases_left()) + " canvases were left lying");
  for (const sim::FrameEvent& event : cluster.history()) {
    if (event.kind != sim::FrameEvent::Kind::aborted) continue;
    const bool untold = event.sentence.find("was not proposed here") != std::string::npos;
    if (executors_hold && !untold) say("a frame was given up: " + event.sentence);
  }
  const size_t late = count(cluster.history(), sim::FrameEvent::Kind::aborted, settled);
  if (late > 0) say(std::to_string(late) + " frames were aborted although all was mended");
}

}  // namespace

Verdict run(const Options& options) {
  networks::Random model_random(options.seed);
  const Model model = networks::random_model(model_random);
  Random random(options.seed);
  const ClusterOptions drawn = random_cluster(options, random);
  VirtualCluster cluster(drawn, model);
  const size_t machines = drawn.machines.size();
  const auto owners = static_cast<uint32_t>(random.between(1, machines > 1 ? 2 : 1));
  for (uint32_t owner = 0; owner < owners; ++owner)
    add_frames(cluster, {owner}, random_plan(model, drawn, random), random);
  Verdict verdict;
  bool executors_hold = true;
  if (options.faults) {
    verdict.faults = static_cast<uint64_t>(random.between(1, 5));
    Saboteur saboteur(cluster, machines, random);
    for (uint64_t i = 0; i < verdict.faults; ++i) saboteur.strike();
    executors_hold = !saboteur.broke_executors();
    mend_all(cluster, machines);
  }
  const bool at_rest = cluster.run(Time{} + rest_awaited);
  judge(cluster, at_rest, executors_hold, verdict);
  const VirtualCluster::Fates& fates = cluster.fates();
  verdict.captured = fates.captured;
  verdict.delivered = fates.delivered;
  verdict.dropped = fates.dropped;
  verdict.aborted = fates.aborted;
  verdict.orphaned = orphans(cluster);
  verdict.trace_hash = cluster.trace_hash();
  verdict.events = cluster.events();
  verdict.virtual_time = cluster.now().time_since_epoch();
  verdict.trace = cluster.trace();
  for (const Machine& machine : drawn.machines)
    if (cluster.is_up(machine.node.id))
      verdict.stolen += cluster.node(machine.node.id).counters().tiles_stolen;
  return verdict;
}

}  // namespace shingle::swarm
