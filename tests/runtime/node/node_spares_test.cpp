// Offers in a large cluster: a plan goes to its homes and the owner's spares, and everybody can
// still inherit.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "node_bench.hpp"
#include "runtime/node/spares.hpp"

namespace shingle {
namespace {

constexpr uint32_t members = 60;

// Node 0 owns and computes nothing. All others compute; the two homes are no spares.
struct LargeCluster {
  Model model = bench_model();
  NodeBench bench{config()};
  std::set<uint32_t> spares, homes;
  LoadedPlan plan;

  LargeCluster() {
    Spares known(config().members);
    for (const NodeId spare : known.of(NodeId{0})) spares.insert(spare.value);
    for (uint32_t id = 1; homes.size() < 2; ++id)
      if (!spares.contains(id)) homes.insert(id);
    plan = trusted_plan(model, bench_plan(model, {homes.begin(), homes.end()}));
    for (uint32_t id = 1; id < members; ++id) bench.join(id);
  }
  static NodeConfig config() {
    NodeConfig config = bench_config(0, members);
    config.limits.compute_slots = 0;
    return config;
  }
  void propose() {
    bench.give(PlanProposed{plan.hash, model.hash, print(plan.plan), shingle::homes(plan.plan)});
  }
  bool is_asked(uint32_t id) const { return homes.contains(id) || spares.contains(id); }
  // Of the last step: who was offered something.
  std::set<uint32_t> offered() const {
    std::set<uint32_t> all;
    for (uint32_t id = 1; id < members; ++id)
      if (!bench.said<PlanOffer>(id).empty()) all.insert(id);
    return all;
  }
  void make_ready() {
    bench.wait(std::chrono::milliseconds(1));
    bench.load(plan);
    for (uint32_t id = 1; id < members; ++id)
      if (is_asked(id)) bench.hear(id, PlanReady{plan.hash, true, {}});
  }
};

TEST_CASE("a large cluster's plan goes to its homes and sixteen spares, now and when one joins") {
  LargeCluster cluster;
  cluster.propose();
  const std::set<uint32_t> offered = cluster.offered();
  CHECK(offered.size() == Spares::most + 2);
  for (const uint32_t id : offered) CHECK(cluster.is_asked(id));
  cluster.make_ready();
  CHECK(cluster.bench.node().broken_invariants().empty());
  const uint32_t spare = *cluster.spares.begin();
  uint32_t stranger = 1;
  while (cluster.is_asked(stranger)) ++stranger;
  for (const uint32_t id : {spare, stranger}) {
    cluster.bench.give(PeerLost{NodeId{id}, "its connection closed"});
    cluster.bench.join(id, 1, "", 2);
    CHECK(cluster.offered().contains(id) == (id == spare));
  }
}

TEST_CASE("homes that are not known with a proposal: it goes to all") {
  LargeCluster cluster;
  cluster.homes.clear();
  cluster.bench.give(
      PlanProposed{cluster.plan.hash, cluster.model.hash, print(cluster.plan.plan)});
  CHECK(cluster.offered().size() == members - 1);
}

TEST_CASE("where homes and spares of a large cluster are lost, a node inherits that was not asked") {
  LargeCluster cluster;
  cluster.propose();
  cluster.make_ready();
  cluster.bench.give(FrameCaptured{1, cluster.plan.hash, std::chrono::seconds(1)});
  for (const uint32_t id : cluster.spares)
    cluster.bench.give(PeerLost{NodeId{id}, "its connection closed"});
  std::set<uint32_t> heirs;
  for (const uint32_t id : cluster.homes) {
    cluster.bench.give(PeerLost{NodeId{id}, "its connection closed"});
    heirs.merge(cluster.offered());
  }
  // The other home was asked after the first loss, others after the second one.
  std::erase_if(heirs, [&](uint32_t id) { return cluster.is_asked(id); });
  REQUIRE_FALSE(heirs.empty());
  const auto offers = cluster.bench.said<PlanOffer>(*heirs.begin());
  REQUIRE(offers.size() == 1);
  const auto stand_in = load_plan(cluster.model, offers[0].text.str(), offers[0].plan);
  REQUIRE(stand_in.ok());
  for (const NodeId home : homes(stand_in->plan)) CHECK(heirs.contains(home.value));
  cluster.bench.wait(std::chrono::milliseconds(1));
  cluster.bench.load(*stand_in);
  std::set<uint32_t> opened;
  for (const NodeId home : homes(stand_in->plan)) {
    cluster.bench.hear(home.value, PlanReady{stand_in->hash, true, {}});
    for (const uint32_t id : heirs)
      if (!cluster.bench.said<FrameOpen>(id).empty()) opened.insert(id);
  }
  CHECK_FALSE(opened.empty());  // homes are asked one after the other
}

}  // namespace
}  // namespace shingle
