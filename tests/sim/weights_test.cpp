// Some weights of a machine change in its memory, in virtual time. The machine finds that itself,
// the others do its work meanwhile, and then it works again.
#include <doctest/doctest.h>

#include "clusters.hpp"
#include "partition/search/planner.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::sim {
namespace {

using namespace std::chrono_literals;

constexpr NodeId owner{0}, struck{2};

// Machine 0 owns the frames. All three machines compute, and check all their weights in ten
// seconds.
struct Watched {
  explicit Watched(uint64_t seed) : model(networks::make("tiny", 48).value()) {
    ClusterOptions options = equal_machines(3, 1.0);
    options.seed = seed;
    Cluster homes;
    for (Machine& machine : options.machines) {
      machine.node.limits.weights_looked_through = 10s;
      machine.node.limits.waiting_frames = 1000;
      homes.nodes.push_back({machine.node.id, 1.0, 100.0, 0});
    }
    options.on_report = [this](NodeId node, const Report& report) {
      if (report.kind == Report::Kind::weights_damaged) damaged.push_back(node);
      if (report.kind == Report::Kind::weights_packed) packed.push_back(node);
    };
    plan = grid_plan(model, homes, {.cut_after = {{1}}, .grid = {6, 6}, .granule = {}});
    cluster.emplace(std::move(options), model);
    cluster->propose(at_ms(1), owner, plan);
  }
  void capture_every(Duration period, Time from, Time to) {
    for (Time at = from; at < to; at += period) cluster->capture(at, owner, hash_of(plan), 1h);
  }

  Model model;
  Plan plan;
  std::vector<NodeId> damaged, packed;
  std::optional<VirtualCluster> cluster;
};

TEST_CASE(
    "weights that changed are found within their time, by whoever holds them and nobody else" *
    doctest::test_suite("long")) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    Watched watched(seed);
    watched.capture_every(100ms, at_ms(20), at_ms(15'000));
    watched.cluster->damage_weights(at_ms(2'000), struck);
    watched.cluster->run(at_ms(12'500));
    CHECK(watched.damaged == std::vector{struck});
    CHECK(watched.packed == std::vector{struck});
    const uint64_t wrong = watched.cluster->wrong_frames();
    CHECK(watched.cluster->run(at_ms(60'000)));
    CHECK(watched.cluster->wrong_frames() == wrong);  // no further frame is wrong
    CHECK(watched.cluster->fates().aborted == 0);
    CHECK(watched.cluster->fates().delivered == watched.cluster->fates().captured);
    CHECK(watched.cluster->canvases_left() == 0);
    CHECK(watched.cluster->breaches().empty());
  }
}

TEST_CASE("until they are found frames are wrong, and a machine that is packed again works again") {
  Watched watched(4);
  watched.capture_every(100ms, at_ms(20), at_ms(30'000));
  watched.cluster->damage_weights(at_ms(2'000), struck);
  watched.cluster->run(at_ms(20'000));
  CHECK(watched.cluster->wrong_frames() > 0);
  const uint64_t computed = watched.cluster->node(struck).counters().tiles_computed;
  CHECK(watched.cluster->run(at_ms(60'000)));
  CHECK(watched.cluster->node(struck).counters().tiles_computed > computed + 1000);
}

TEST_CASE("with weights damaged for the fourth time a machine is done without for good") {
  Watched watched(9);
  watched.capture_every(200ms, at_ms(20), at_ms(60'000));
  for (int64_t time = 0; time < 5; ++time)
    watched.cluster->damage_weights(at_ms(2'000 + time * 11'000), struck);
  CHECK(watched.cluster->run(at_ms(120'000)));
  CHECK(watched.damaged.size() == 4);
  CHECK(watched.packed.size() == 3);
  CHECK(watched.cluster->fates().delivered == watched.cluster->fates().captured);
  CHECK(watched.cluster->breaches().empty());
}

}  // namespace
}  // namespace shingle::sim
