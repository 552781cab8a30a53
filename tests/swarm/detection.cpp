#include "tests/swarm/detection.hpp"

#include <algorithm>
#include <cmath>

#include "partition/search/planner.hpp"
#include "sim/random.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::swarm {

namespace {

using std::chrono::milliseconds;

constexpr uint32_t machines = 6;
constexpr int frames = 150, period_ms = 40;  // 25 a second
constexpr Duration lasts = milliseconds(1500);

sim::ClusterOptions cluster_of(uint64_t seed, sim::Random& random) {
  sim::ClusterOptions options;
  options.seed = seed;
  options.network.latency = std::chrono::microseconds(random.between(50, 5000));
  options.network.bytes_per_second = random.between(5'000'000, 100'000'000);
  for (uint32_t id = 0; id < machines; ++id) {
    sim::Machine machine;
    machine.node.id = NodeId{id};
    machine.node.arithmetic_class = "virtual";
    machine.node.seed = seed;
    machine.clock_offset = milliseconds(random.between(0, 1000));
    options.machines.push_back(machine);
  }
  return options;
}

Plan plan_of(const Model& model, const sim::ClusterOptions& cluster) {
  Cluster homes;
  for (const sim::Machine& machine : cluster.machines)
    homes.nodes.push_back({machine.node.id, machine.gflops, 100.0, 0});
  return grid_plan(model, homes, {.cut_after = {}, .grid = {4, 3}});
}

// The victim, which owns no frames, and the reports about it.
class Watch {
 public:
  Watch(NodeId victim, Fault fault, Time at) : victim_(victim), fault_(fault), at_(at) {}

  void begin(sim::VirtualCluster& cluster) {
    cluster_ = &cluster;
    switch (fault_) {
      case Fault::crash:
        cluster.crash(at_, victim_);
        return cluster.restart(at_ + lasts, victim_);
      case Fault::hang:
        cluster.hang(at_, victim_);
        return cluster.wake(at_ + lasts, victim_);
      case Fault::one_way:
        for (uint32_t other = 0; other < machines; ++other) {
          if (NodeId{other} == victim_) continue;
          cluster.clog(at_, victim_, {other});
          cluster.unclog(at_ + lasts, victim_, {other});
        }
        return;
    }
  }

  void hear(NodeId from, const Report& report) {
    const Time now = cluster_->now();
    if (report.kind == Report::Kind::peer_lost && report.node == victim_ && now >= at_ &&
        now < at_ + lasts && observers_.insert(from).second)
      found_.noticed.push_back(now - at_);
    const bool computes = report.kind == Report::Kind::tile_done && report.node == victim_;
    if (computes && now > at_ + lasts && !found_.used_again) found_.used_again = now - at_ - lasts;
  }

  Detection end() {
    found_.missed = machines - 1 - observers_.size();
    return found_;
  }

 private:
  NodeId victim_;
  Fault fault_;
  Time at_;
  const sim::VirtualCluster* cluster_ = nullptr;
  std::set<NodeId> observers_;
  Detection found_;
};

}  // namespace

Detection detect(uint64_t seed, Fault fault) {
  sim::Random random(seed);
  const Result<Model> tiny = networks::make("tiny", 48);
  const Model& model = *tiny;
  sim::ClusterOptions options = cluster_of(seed, random);
  const Plan plan = plan_of(model, options);
  const NodeId victim{static_cast<uint32_t>(random.between(1, machines - 1))};
  Watch watch(victim, fault,
              Time{} + std::chrono::microseconds(random.between(1'000'000, 1'400'000)));
  options.on_report = [&](NodeId from, const Report& report) { watch.hear(from, report); };
  sim::VirtualCluster cluster(std::move(options), model);
  cluster.propose(Time{} + milliseconds(20), {0}, plan);
  for (int frame = 0; frame < frames; ++frame)
    cluster.capture(Time{} + milliseconds(40 + frame * period_ms), {0}, hash_of(plan),
                    milliseconds(200));
  watch.begin(cluster);
  cluster.run(Time{} + std::chrono::seconds(20));
  return watch.end();
}

Duration percentile(std::vector<Duration> all, double percent) {
  std::sort(all.begin(), all.end());
  const auto rank =
      static_cast<size_t>(std::ceil(percent / 100.0 * static_cast<double>(all.size())));
  return all[std::clamp<size_t>(rank, 1, all.size()) - 1];
}

}  // namespace shingle::swarm
