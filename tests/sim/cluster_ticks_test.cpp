// Beats of a tick as one event: what a cluster does must be what it does with single beats.
#include <doctest/doctest.h>

#include "clusters.hpp"
#include "partition/search/plan_search.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::sim {
namespace {

constexpr uint32_t group = 8, nodes = 64;
constexpr double node_gflops = 0.5;

struct Result64 {
  VirtualCluster::Fates fates;
  std::vector<uint64_t> stolen;                 // by node
  std::vector<std::pair<NodeId, NodeId>> lost;  // who lost whom by its silence, ascending
  std::vector<Time> noticed;                    // when, ascending
  uint64_t events = 0;
};

Cluster first_group() {
  Cluster cluster;
  for (uint32_t i = 0; i < group; ++i)
    cluster.nodes.push_back({.id = NodeId{i}, .gflops = node_gflops, .link_mbps = 94.0});
  return cluster;
}

Plan moved_by(Plan plan, uint32_t first) {
  for (FusedBlock& block : plan.blocks)
    for (Tile& tile : block.tiles) tile.home.value += first;
  return plan;
}

// Eight cameras, each with eight nodes of its own. Two nodes are slowed, so tiles are stolen; one
// node hangs and one crashes, so peers are lost.
Result64 run_cluster(const Model& model, const Plan& plan, bool ticks) {
  ClusterOptions options = equal_machines(nodes, node_gflops);
  for (Machine& machine : options.machines) machine.node.limits.steals = true;
  options.contents = Contents::shape;
  options.ticks_are_events = ticks;
  Result64 result;
  VirtualCluster* running = nullptr;
  options.on_report = [&](NodeId from, const Report& report) {
    if (report.kind != Report::Kind::peer_lost) return;
    result.lost.emplace_back(from, report.node);
    result.noticed.push_back(running->now());
  };
  VirtualCluster cluster(options, model);
  running = &cluster;
  for (uint32_t first = 0; first < nodes; first += group) {
    const Plan own = moved_by(plan, first);
    cluster.propose(Time{}, NodeId{first}, own);
    for (int frame = 0; frame < 12; ++frame)
      cluster.capture(at_ms(500 + 200 * frame + first), NodeId{first}, hash_of(own),
                      std::chrono::minutes(1));
  }
  cluster.slow(at_ms(400), NodeId{3}, 6.0);
  cluster.slow(at_ms(400), NodeId{21}, 4.0);
  cluster.hang(at_ms(1200), NodeId{63});
  cluster.wake(at_ms(2200), NodeId{63});
  cluster.crash(at_ms(1500), NodeId{46});
  cluster.run(at_ms(6000));
  CHECK(cluster.breaches().empty());
  result.fates = cluster.fates();
  for (uint32_t node = 0; node < nodes; ++node)
    result.stolen.push_back(node == 46 ? 0 : cluster.node(NodeId{node}).counters().tiles_stolen);
  std::sort(result.lost.begin(), result.lost.end());
  result.events = cluster.events();
  return result;
}

TEST_CASE("ticks of beats as one event change no delivery, theft or detection of 64 nodes" *
          doctest::test_suite("long")) {
  const Model model = networks::make("yolov2_front", 96).value();
  const auto found = find_plan(model, first_group(), {.owner = NodeId{0}, .open_frames = 1});
  REQUIRE(found.ok());
  const Result64 single = run_cluster(model, found->plan, false);
  const Result64 ticks = run_cluster(model, found->plan, true);
  CHECK(single.fates.captured == 96);
  CHECK(single.fates.delivered == ticks.fates.delivered);
  CHECK(single.fates.aborted == ticks.fates.aborted);
  CHECK(single.fates.dropped == ticks.fates.dropped);
  REQUIRE(std::accumulate(single.stolen.begin(), single.stolen.end(), uint64_t{0}) > 0);
  CHECK(single.stolen == ticks.stolen);
  REQUIRE(single.lost.size() >= 2 * (nodes - 1));
  CHECK(single.lost == ticks.lost);
  CHECK(single.noticed == ticks.noticed);
  CHECK(single.events == ticks.events);
}

}  // namespace
}  // namespace shingle::sim
