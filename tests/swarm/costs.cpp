#include "tests/swarm/costs.hpp"

#include <algorithm>

#include "partition/search/planner.hpp"
#include "sim/cluster.hpp"
#include "sim/random.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::swarm {

namespace {

using std::chrono::milliseconds;

constexpr uint32_t machines = 6, frames = 100;
constexpr Duration period = milliseconds(40);  // 25 a second
constexpr Duration silence = milliseconds(450);
constexpr Time first = Time{} + milliseconds(40);

struct Run {
  Run(uint64_t seed, double share) : random(seed) {
    sim::ClusterOptions options;
    options.seed = seed;
    options.network.latency = std::chrono::microseconds(random.between(50, 1000));
    options.network.bytes_per_second = random.between(5'000'000, 100'000'000);
    options.on_report = [this](NodeId, const Report& report) {
      if (report.kind == Report::Kind::frame_closed) taken.push_back(report.elapsed);
      if (report.kind == Report::Kind::frame_closed) last = cluster->now();
    };
    Cluster homes;
    for (uint32_t id = 0; id < machines; ++id) {
      sim::Machine machine;
      machine.node.id = NodeId{id};
      machine.node.arithmetic_class = "virtual";
      machine.node.seed = seed;
      machine.node.limits.audit_share = share;
      machine.node.limits.open_frames = 4;
      machine.node.limits.waiting_frames = frames;
      machine.gflops = gflops;
      options.machines.push_back(machine);
      homes.nodes.push_back({machine.node.id, machine.gflops, 100.0, 0});
    }
    plan = grid_plan(model, homes, {.cut_after = {{1}}, .grid = {6, 6}, .granule = {}});
    cluster.emplace(std::move(options), model);
    cluster->propose(Time{} + milliseconds(1), {0}, plan);
  }
  void stream(Duration apart) {
    for (uint32_t frame = 0; frame < frames; ++frame)
      cluster->capture(first + frame * apart, {0}, hash_of(plan), std::chrono::hours(1));
    cluster->run(Time{} + std::chrono::minutes(10));
  }

  static constexpr double gflops = 0.1;
  sim::Random random;
  Model model = networks::make("tiny", 48).value();
  Plan plan;
  std::vector<Duration> taken;  // by frame, from capture
  Time last{};
  std::optional<sim::VirtualCluster> cluster;
};

Duration seconds_for_all(uint64_t seed, double share) {
  Run run(seed, share);
  run.stream(Duration::zero());
  return run.last - first;
}

}  // namespace

double audited_throughput(uint64_t seed, double share) {
  return std::chrono::duration<double>(seconds_for_all(seed, 0.0)) /
         std::chrono::duration<double>(seconds_for_all(seed, share));
}

Duration delay_of(uint64_t seed, Suspicion suspicion) {
  Run run(seed, 0.0);
  const NodeId victim{static_cast<uint32_t>(run.random.between(1, machines - 1))};
  const Time at = Time{} + std::chrono::microseconds(run.random.between(1'000'000, 1'400'000));
  if (suspicion == Suspicion::of_connection) {
    run.cluster->reset(at, {0}, victim);
  } else {
    for (const auto& [from, to] : {std::pair(NodeId{0}, victim), std::pair(victim, NodeId{0})}) {
      run.cluster->clog(at, from, to);
      run.cluster->unclog(at + silence, from, to);
    }
  }
  run.stream(period);
  std::sort(run.taken.begin(), run.taken.end());
  return run.taken.back() - run.taken[run.taken.size() / 2];
}

}  // namespace shingle::swarm
