// Random clusters, plans, wires and speeds: whatever the schedule, every frame meets exactly one
// fate, every tile gets exactly its halo, and nothing is left lying.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

#include "clusters.hpp"
#include "devices/reference.hpp"
#include "partition/planner.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::sim {
namespace {

// SHINGLE_SEED=n replays one seed and prints its trace; SHINGLE_SEEDS=n runs n seeds instead of the
// usual number.
std::optional<uint64_t> environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return {};
  return std::strtoull(text, nullptr, 10);
}

template <class Body>
void for_each_seed(uint64_t usual, const Body& body) {
  if (const auto seed = environment("SHINGLE_SEED")) return body(*seed);
  const uint64_t count = environment("SHINGLE_SEEDS").value_or(usual);
  for (uint64_t seed = 1; seed <= count; ++seed) body(seed);
}

constexpr Duration long_enough = std::chrono::minutes(5);

ClusterOptions random_cluster(Random& random, uint64_t seed) {
  ClusterOptions options = equal_machines(static_cast<uint32_t>(random.between(1, 8)));
  options.seed = seed;
  options.network.latency = std::chrono::microseconds(random.between(10, 5000));
  options.network.bytes_per_second = random.between(100'000, 20'000'000);
  options.network.loss = random.chance(0.3) ? 0.02 : 0.0;
  for (Machine& machine : options.machines) {
    machine.gflops = 0.002 * random.between(1, 40);
    NodeLimits& limits = machine.node.limits;
    limits.compute_slots = static_cast<uint32_t>(random.between(1, 2));
    limits.open_frames = static_cast<uint32_t>(random.between(1, 4));
    limits.waiting_frames = static_cast<uint32_t>(random.between(1, 4));
    limits.drop = random.chance(0.5) ? DropPolicy::drop_oldest : DropPolicy::refuse_newest;
    limits.frame_slots = static_cast<uint32_t>(random.between(1, 5));
    limits.link_window_bytes = random.between(1000, 100'000);
    limits.steals = random.chance(0.8);
    limits.steal_keep = static_cast<uint32_t>(random.between(0, 2));
    limits.link_bytes_per_second = random.chance(0.5) ? 1'000'000'000 : 1'000'000;
    machine.node.seed = seed;
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

struct Outcome {
  bool at_rest = false;
  VirtualCluster::Fates fates;
  std::vector<std::string> breaches;
  size_t canvases_left = 0;
  uint64_t trace_hash = 0;
  Time end{};
  uint64_t stolen = 0;
};

struct Run {
  uint64_t seed = 0;
  Contents contents = Contents::hash;
  bool faults = false;
};

void add_faults(VirtualCluster& cluster, size_t machines, Random& random) {
  const int32_t count = random.between(1, 4);
  for (int32_t i = 0; i < count; ++i) {
    const NodeId victim{static_cast<uint32_t>(random.next() % machines)};
    const NodeId other{static_cast<uint32_t>(random.next() % machines)};
    const Time at = at_ms(random.between(0, 400));
    const Time later = at + std::chrono::milliseconds(random.between(1, 3000));
    switch (random.between(0, 4)) {
      case 0:
        cluster.crash(at, victim);
        if (random.chance(0.5)) cluster.restart(later, victim);
        break;
      case 1:
        cluster.hang(at, victim);
        cluster.wake(later, victim);
        break;
      case 2:
        cluster.slow(at, victim, random.between(2, 20));
        break;
      case 3:
        if (victim == other) break;
        cluster.disconnect(at, victim, other);
        cluster.reconnect(later, victim, other);
        break;
      default:
        cluster.break_executor(at, victim);
    }
  }
}

Outcome simulate(const Run& run) {
  networks::Random model_random(run.seed);
  const Model model = networks::random_model(model_random);
  Random random(run.seed);
  ClusterOptions options = random_cluster(random, run.seed);
  options.contents = run.contents;
  options.keep_trace = environment("SHINGLE_SEED").has_value();
  options.make_executor = [] { return std::make_unique<ReferenceExecutor>(); };
  VirtualCluster cluster(options, model);
  const size_t machines = options.machines.size();
  const int32_t owners = random.between(1, static_cast<int32_t>(std::min<size_t>(machines, 2)));
  for (int32_t i = 0; i < owners; ++i) {
    const NodeId owner{static_cast<uint32_t>(i)};
    const Plan plan = random_plan(model, options, random);
    cluster.propose(at_ms(1), owner, plan);
    const int32_t frames = random.between(1, 6), period = random.between(0, 100);
    for (int32_t frame = 0; frame < frames; ++frame)
      cluster.capture(at_ms(2 + frame * period), owner, hash_of(plan),
                      std::chrono::milliseconds(200));
  }
  if (run.faults) add_faults(cluster, machines, random);
  Outcome outcome;
  outcome.at_rest = cluster.run(Time{} + long_enough);
  for (const TraceEvent& event : cluster.trace()) std::puts(line_of(event).c_str());
  outcome.fates = cluster.fates();
  outcome.breaches = cluster.breaches();
  outcome.canvases_left = cluster.canvases_left();
  outcome.trace_hash = cluster.trace_hash();
  outcome.end = cluster.now();
  for (const Machine& machine : options.machines)
    if (!run.faults) outcome.stolen += cluster.node(machine.node.id).counters().tiles_stolen;
  return outcome;
}

void check(const Run& run, const Outcome& outcome) {
  CAPTURE(run.seed);
  const VirtualCluster::Fates& fates = outcome.fates;
  for (const std::string& breach : outcome.breaches) FAIL_CHECK(breach);
  CHECK(outcome.at_rest);
  CHECK(fates.captured == fates.delivered + fates.dropped + fates.aborted);
  CHECK(outcome.canvases_left == 0);
  if (!run.faults) CHECK(fates.aborted == 0);
}

TEST_CASE("whatever the cluster, every frame is delivered or dropped and every tile got its halo") {
  uint64_t stolen = 0, delivered = 0;
  for_each_seed(300, [&](uint64_t seed) {
    const Run run{.seed = seed};
    const Outcome outcome = simulate(run);
    check(run, outcome);
    stolen += outcome.stolen;
    delivered += outcome.fates.delivered;
  });
  if (!environment("SHINGLE_SEED")) {
    CHECK(stolen > 100);
    CHECK(delivered > 600);
  }
}

TEST_CASE(
    "machines crash, hang, slow down and lose each other, and every frame still meets a fate") {
  size_t aborted = 0, delivered = 0;
  for_each_seed(400, [&](uint64_t seed) {
    const Run run{.seed = seed, .faults = true};
    const Outcome outcome = simulate(run);
    check(run, outcome);
    aborted += outcome.fates.aborted;
    delivered += outcome.fates.delivered;
  });
  if (!environment("SHINGLE_SEED")) {
    CHECK(aborted > 100);
    CHECK(delivered > 100);
  }
}

TEST_CASE("real bytes on real executors come out as from one machine") {
  for_each_seed(25, [&](uint64_t seed) {
    const Run run{.seed = seed, .contents = Contents::full, .faults = seed % 2 == 0};
    check(run, simulate(run));
  });
}

TEST_CASE("the same seed gives the same trace, another seed another") {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Run run{.seed = seed, .faults = true};
    CHECK(simulate(run).trace_hash == simulate(run).trace_hash);
    CHECK(simulate(run).trace_hash != simulate({.seed = seed + 1, .faults = true}).trace_hash);
  }
}

}  // namespace
}  // namespace shingle::sim
