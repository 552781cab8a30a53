// Offers in a large cluster: a plan goes to its homes and the owner's spares, and to everybody if
// these cannot do its work.
#include <doctest/doctest.h>

#include <optional>
#include <set>

#include "node_bench.hpp"
#include "runtime/node/spare_nodes.hpp"

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
    SpareNodes known(config().members);
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
  CHECK(offered.size() == SpareNodes::most + 2);
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
  cluster.bench.give(PlanProposed{cluster.plan.hash, cluster.model.hash, print(cluster.plan.plan)});
  CHECK(cluster.offered().size() == members - 1);
}

// A large cluster with a frame, whose homes can be lost one after the other.
struct Losing : LargeCluster {
  Losing() {
    propose();
    make_ready();
    bench.give(FrameCaptured{1, plan.hash, std::chrono::seconds(1)});
  }
  // Returns the nodes that the owner offers a plan because of that.
  std::set<uint32_t> lose(const std::set<uint32_t>& some) {
    std::set<uint32_t> all;
    for (const uint32_t id : some) {
      bench.give(PeerLost{NodeId{id}, "its connection closed"});
      all.merge(offered());
    }
    return all;
  }
  std::set<uint32_t> at_the_next_beat() {
    bench.wait(std::chrono::milliseconds(110));
    bench.give(Woken{});
    return offered();
  }
  std::set<uint32_t> strangers() const {
    std::set<uint32_t> all;
    for (uint32_t id = 1; id < members; ++id)
      if (!is_asked(id)) all.insert(id);
    return all;
  }
};

TEST_CASE("ready spares inherit, and strangers of a large cluster are left alone") {
  Losing cluster;
  std::set<uint32_t> asked = cluster.lose(cluster.homes);
  asked.merge(cluster.at_the_next_beat());
  for (const uint32_t id : asked) CHECK(cluster.is_asked(id));
  std::erase_if(asked, [&](uint32_t id) { return cluster.homes.contains(id); });
  CHECK_FALSE(asked.empty());
}

TEST_CASE("where homes and spares of a large cluster are lost, everybody is asked, and inherits") {
  Losing cluster;
  std::set<uint32_t> asked = cluster.lose(cluster.spares);
  asked.merge(cluster.lose(cluster.homes));
  for (const uint32_t id : asked) CHECK(cluster.homes.contains(id));
  CHECK(cluster.bench.reports(Report::Kind::frame_aborted).empty());
  CHECK(cluster.at_the_next_beat() == cluster.strangers());
  std::optional<LoadedPlan> stand_in;
  for (const uint32_t id : cluster.strangers()) {
    cluster.bench.hear(id, PlanReady{cluster.plan.hash, true, {}});
    for (const PlanOffer& offer : cluster.bench.said<PlanOffer>(id)) {
      if (offer.text.empty()) continue;
      auto read = load_plan(cluster.model, offer.text.str(), offer.plan);
      REQUIRE(read.ok());
      stand_in = std::move(*read);
    }
    if (stand_in) break;
  }
  REQUIRE(stand_in.has_value());
  cluster.bench.wait(std::chrono::milliseconds(1));
  cluster.bench.load(*stand_in);
  size_t opened = 0;
  for (const NodeId home : homes(stand_in->plan)) {
    CHECK(cluster.strangers().contains(home.value));
    cluster.bench.hear(home.value, PlanReady{stand_in->hash, true, {}});
    for (const NodeId other : homes(stand_in->plan))
      opened += cluster.bench.said<FrameOpen>(other.value).size();
  }
  CHECK(opened > 0);  // homes are asked one after the other
}

TEST_CASE("where nobody of a large cluster can inherit, the frame ends with a sentence") {
  Losing cluster;
  cluster.lose(cluster.spares);
  cluster.lose(cluster.homes);
  REQUIRE(cluster.at_the_next_beat() == cluster.strangers());
  std::vector<Report> ends;
  for (int beat = 0; beat < 80 && ends.empty(); ++beat) {
    for (const uint32_t id : cluster.strangers()) {
      cluster.bench.hear(id, PlanReady{cluster.plan.hash, false, "it has no room for the plan"});
      for (const PlanOffer& offer : cluster.bench.said<PlanOffer>(id))
        cluster.bench.hear(id, PlanReady{offer.plan, false, "it has no room for the plan"});
      if (ends.empty()) ends = cluster.bench.reports(Report::Kind::frame_aborted);
    }
    cluster.at_the_next_beat();
    if (ends.empty()) ends = cluster.bench.reports(Report::Kind::frame_aborted);
  }
  REQUIRE(ends.size() == 1);
  CHECK(ends.front().sentence.find("was lost") != std::string::npos);
}

TEST_CASE("a plan that is proposed again goes to homes and spares again") {
  Losing cluster;
  cluster.lose(cluster.spares);
  cluster.lose(cluster.homes);
  REQUIRE(cluster.at_the_next_beat() == cluster.strangers());
  cluster.propose();
  CHECK(cluster.offered().empty());
  const uint32_t home = *cluster.homes.begin();
  cluster.bench.join(home, 1, "", 2);
  CHECK(cluster.offered() == std::set<uint32_t>{home});
}

}  // namespace
}  // namespace shingle
