// Machines pack weights for seconds while tiles wait, in virtual time. No node may take them for
// machines that hang.
#include <doctest/doctest.h>

#include "clusters.hpp"
#include "partition/search/planner.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::sim {
namespace {

using namespace std::chrono_literals;

TEST_CASE("machines that load another plan for two seconds are late, and nothing worse") {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    // Given a stream whose tiles take about a millisecond
    const Model model = networks::make("tiny", 48).value();
    ClusterOptions options = equal_machines(3, 1.0);
    options.seed = seed;
    options.plan_load_time = 2s;
    Cluster homes;
    for (Machine& machine : options.machines) {
      machine.node.limits.waiting_frames = 1000;
      homes.nodes.push_back({machine.node.id, 1.0, 100.0, 0});
    }
    size_t hung = 0, begun_again = 0;
    options.on_report = [&](NodeId, const Report& report) {
      hung += report.kind == Report::Kind::plan_impaired ? 1 : 0;
      begun_again += report.kind == Report::Kind::frame_reissued ? 1 : 0;
    };
    const auto plan = [&](GridCut grid) {
      return grid_plan(model, homes, {.cut_after = {{1}}, .grid = grid, .granule = {}});
    };
    const Plan first = plan({6, 6}), second = plan({5, 5});
    VirtualCluster cluster(std::move(options), model);
    cluster.propose(at_ms(1), NodeId{0}, first);
    for (Time at = at_ms(3'000); at < at_ms(9'000); at += 100ms)
      cluster.capture(at, NodeId{0}, hash_of(first), 1h);
    // When the next plan comes, and all machines must pack its weights before they go on
    cluster.propose(at_ms(5'000), NodeId{0}, second);
    CHECK(cluster.run(at_ms(60'000)));
    // Then all frames come, later, and no home was given up
    CHECK(cluster.fates().delivered == cluster.fates().captured);
    CHECK(hung == 0);
    CHECK(begun_again == 0);
    CHECK(cluster.breaches().empty());
  }
}

}  // namespace
}  // namespace shingle::sim
