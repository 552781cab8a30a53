// Several owners share homes, in virtual time: several cameras, two models, and frames with a
// deadline.
#include <doctest/doctest.h>

#include "clusters.hpp"
#include "partition/search/planner.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::sim {
namespace {

using namespace std::chrono_literals;

// Homes 0 and 1; owners 2 and 3, which compute nothing.
ClusterOptions two_homes_two_owners(uint32_t frames_of_first, uint32_t frames_of_second) {
  ClusterOptions options = equal_machines(4, 0.05);
  for (Machine& machine : options.machines) machine.node.limits.waiting_frames = 100;
  for (const uint32_t owner : {2U, 3U}) options.machines[owner].node.limits.compute_slots = 0;
  options.machines[2].node.limits.open_frames = frames_of_first;
  options.machines[3].node.limits.open_frames = frames_of_second;
  return options;
}

Plan over_homes(const Model& model) {
  Cluster homes;
  for (const uint32_t home : {0U, 1U}) homes.nodes.push_back({.id = {home}, .gflops = 0.05});
  return grid_plan(model, homes, {.cut_after = {}, .grid = {2, 2}});
}

uint64_t delivered(const VirtualCluster& cluster, uint32_t owner) {
  return cluster.node(NodeId{owner}).counters().frames_delivered;
}

TEST_CASE("an owner with four frames open gets no more of the homes than one with a single one") {
  const Model model = networks::make("tiny", 48).value();
  VirtualCluster cluster(two_homes_two_owners(4, 1), model);
  const Plan plan = over_homes(model);
  for (const uint32_t owner : {2U, 3U}) {
    cluster.propose(at_ms(10), NodeId{owner}, plan);
    for (int i = 0; i < 60; ++i) cluster.capture(at_ms(100), NodeId{owner}, hash_of(plan), 1h);
  }
  // When both have frames waiting all the time
  for (int64_t ms = 200; delivered(cluster, 2) + delivered(cluster, 3) < 60; ms += 10)
    cluster.run(at_ms(ms));
  // Then the owner that always has a tile ready gets its half. The other owner waits for its next
  // strip between two frames, so it cannot use its whole share.
  CAPTURE(delivered(cluster, 2));
  CAPTURE(delivered(cluster, 3));
  CHECK(delivered(cluster, 3) >= 20);
  CHECK(cluster.run(at_ms(600'000)));
  CHECK(cluster.fates().delivered == 120);
  CHECK(cluster.breaches().empty());
}

TEST_CASE("three owners with as many frames each get a third of the homes' work each") {
  const Model model = networks::make("tiny", 48).value();
  ClusterOptions options = two_homes_two_owners(4, 4);
  options.machines.push_back(options.machines[3]);
  options.machines[4].node.id = NodeId{4};
  VirtualCluster cluster(options, model);
  const Plan plan = over_homes(model);
  for (const uint32_t owner : {2U, 3U, 4U}) {
    cluster.propose(at_ms(10), NodeId{owner}, plan);
    for (int i = 0; i < 100; ++i) cluster.capture(at_ms(100), NodeId{owner}, hash_of(plan), 1h);
  }
  // When all have frames waiting all the time
  const auto all = [&] {
    return delivered(cluster, 2) + delivered(cluster, 3) + delivered(cluster, 4);
  };
  for (int64_t ms = 200; all() < 150; ms += 10) cluster.run(at_ms(ms));
  for (const uint32_t owner : {2U, 3U, 4U}) {
    CAPTURE(delivered(cluster, owner));
    CHECK(delivered(cluster, owner) >= 47);  // of 50
    CHECK(delivered(cluster, owner) <= 53);
  }
  CHECK(cluster.run(at_ms(600'000)));
  CHECK(cluster.breaches().empty());
}

TEST_CASE("two owners with two models share the same homes, each frame with its own halos") {
  const Model first = networks::make("tiny", 48).value(),
              second = networks::make("tiny", 32, 7).value();
  VirtualCluster cluster(two_homes_two_owners(2, 2), first);
  cluster.add_model(second);
  const Plan plans[] = {over_homes(first), over_homes(second)};
  for (const uint32_t owner : {2U, 3U}) {
    cluster.propose(at_ms(10), NodeId{owner}, plans[owner - 2]);
    for (int i = 0; i < 20; ++i)
      cluster.capture(at_ms(100 + 7 * i), NodeId{owner}, hash_of(plans[owner - 2]), 1h);
  }
  CHECK(cluster.run(at_ms(600'000)));
  CHECK(delivered(cluster, 2) == 20);
  CHECK(delivered(cluster, 3) == 20);
  for (const std::string& breach : cluster.breaches()) FAIL_CHECK(breach);
  CHECK(cluster.canvases_left() == 0);
}

TEST_CASE("a frame that somebody waits for overtakes those that nobody waits for") {
  const Model model = networks::make("tiny", 48).value();
  ClusterOptions options = two_homes_two_owners(4, 1);
  options.keep_trace = true;
  VirtualCluster cluster(options, model);
  const Plan plan = over_homes(model);
  for (const uint32_t owner : {2U, 3U}) cluster.propose(at_ms(10), NodeId{owner}, plan);
  for (int i = 0; i < 4; ++i) cluster.capture(at_ms(100), NodeId{2}, hash_of(plan), 1h);
  cluster.capture(at_ms(101), NodeId{3}, hash_of(plan), 2s);
  CHECK(cluster.run(at_ms(600'000)));
  // Then it is delivered first, though it came last
  const auto first = std::find_if(
      cluster.trace().begin(), cluster.trace().end(),
      [](const TraceEvent& event) { return event.kind == TraceEvent::Kind::delivered; });
  REQUIRE(first != cluster.trace().end());
  CHECK(first->key.owner == NodeId{3});
}

}  // namespace
}  // namespace shingle::sim
