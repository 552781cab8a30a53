// One machine of a virtual cluster computes wrong results. Who finds it, how soon, and what does it
// cost the frames?
#include <doctest/doctest.h>

#include "clusters.hpp"
#include "partition/search/planner.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::sim {
namespace {

using namespace std::chrono_literals;

constexpr NodeId owner{0}, liar{2};

// Machine 0 owns the frames. All machines compute 6x6 tiles in two blocks.
struct Audited {
  explicit Audited(uint32_t machines, double share, uint64_t seed)
      : model(networks::make("tiny", 48).value()) {
    ClusterOptions options = equal_machines(machines, 1.0);
    options.seed = seed;
    Cluster homes;
    for (Machine& machine : options.machines) {
      machine.node.seed = seed;
      machine.node.limits.audit_share = share;
      machine.node.limits.open_frames = 2;
      machine.node.limits.waiting_frames = 1000;
      homes.nodes.push_back({machine.node.id, 1.0, 100.0, 0});
    }
    options.on_report = [this](NodeId, const Report& report) {
      if (report.kind == Report::Kind::node_distrusted) distrusted.push_back(report.node);
    };
    plan = grid_plan(model, homes, {.cut_after = {{1}}, .grid = {6, 6}, .granule = {}});
    cluster.emplace(std::move(options), model);
    cluster->propose(at_ms(1), owner, plan);
  }

  void capture(int frames) {
    for (int i = 0; i < frames; ++i)
      cluster->capture(std::max(cluster->now(), at_ms(20)), owner, hash_of(plan), 1h);
  }
  // Streams frames until a machine is distrusted (true), or until `liar` has computed so many tiles
  // (false).
  bool found_within(uint64_t tiles) {
    while (distrusted.empty() && cluster->node(liar).counters().tiles_computed < tiles) {
      capture(4);
      cluster->run(at_ms(36'000'000));
    }
    return !distrusted.empty();
  }

  Model model;
  Plan plan;
  std::vector<NodeId> distrusted;
  std::optional<VirtualCluster> cluster;
};

struct Search {
  bool found = false;
  uint64_t tiles = 0;  // that the machine had computed by then
};

// `search` runs one cluster. A search finds the machine with a probability of 99 %, so fewer than
// 96 of 100 succeed in 3 of 1,000 runs of such a test.
template <class SearchOf>
void check_that_nearly_all_find_it(SearchOf search) {
  constexpr int seeds = 100;
  int found = 0;
  uint64_t tiles = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    const Search ended = search(seed);
    found += ended.found ? 1 : 0;
    tiles += ended.tiles;
  }
  MESSAGE("found in ", found, " of ", seeds, " runs, after ", tiles / seeds, " of its tiles");
  CHECK(found >= seeds - 4);
}

// 1 - (1 - 0.02 x 0.1)^2300 = 0.99: audits of its own tiles alone find it that often. Its wrong
// results as an auditor give it away as well.
TEST_CASE(
    "who computes a tenth of its tiles wrongly is found within 2,300 of them by audits of 2%" *
    doctest::test_suite("long")) {
  check_that_nearly_all_find_it([](uint64_t seed) {
    Audited audited(4, 0.02, seed);
    audited.cluster->spoil(at_ms(2), liar, 0.1);
    const bool found = audited.found_within(2300);
    for (const NodeId node : audited.distrusted) CHECK(node == liar);  // and nobody else is blamed
    CHECK(audited.cluster->breaches().empty());
    return Search{found, audited.cluster->node(liar).counters().tiles_computed};
  });
}

// Machine 1 is the home of all tiles; all other machines, the owner among them, borrow from it.
struct AuditedLoans {
  explicit AuditedLoans(double share, uint64_t seed) : model(networks::make("tiny", 48).value()) {
    ClusterOptions options = equal_machines(5, 1.0);
    options.seed = seed;
    options.network.bytes_per_second = 1'000'000'000;
    for (Machine& machine : options.machines) {
      machine.node.seed = seed;
      machine.node.limits.audit_share = share;
      machine.node.limits.waiting_frames = 1000;
      machine.node.limits.link_bytes_per_second = 1'000'000'000;
    }
    options.machines[1].gflops = 0.02;
    options.machines[liar.value].node.limits.audits_held = 0;  // nobody else's audits find it
    options.on_report = [this](NodeId, const Report& report) {
      if (report.kind == Report::Kind::node_distrusted) distrusted.push_back(report.node);
    };
    Cluster homes;
    homes.nodes.push_back({NodeId{1}, 1.0, 100.0, 0});
    plan = grid_plan(model, homes, {.cut_after = {{1}}, .grid = {6, 6}, .granule = {}});
    cluster.emplace(std::move(options), model);
    cluster->propose(at_ms(1), owner, plan);
  }
  uint64_t stolen(NodeId node) const { return cluster->node(node).counters().tiles_stolen; }
  void stream(int frames) {
    for (int i = 0; i < frames; ++i)
      cluster->capture(std::max(cluster->now(), at_ms(20)), owner, hash_of(plan), 1h);
    cluster->run(at_ms(36'000'000));
  }
  bool found_within(uint64_t tiles) {
    while (distrusted.empty() && stolen(liar) < tiles) stream(4);
    return !distrusted.empty();
  }

  Model model;
  Plan plan;
  std::vector<NodeId> distrusted;
  std::optional<VirtualCluster> cluster;
};

TEST_CASE("who spoils a tenth of the tiles that it borrows is found within 2,300 of them" *
          doctest::test_suite("long")) {
  check_that_nearly_all_find_it([](uint64_t seed) {
    AuditedLoans audited(0.02, seed);
    audited.cluster->spoil_borrowed(at_ms(2), liar, 0.1);
    const bool found = audited.found_within(2300);
    for (const NodeId node : audited.distrusted) CHECK(node == liar);  // never the lender
    CHECK(audited.cluster->breaches().empty());
    return Search{found, audited.stolen(liar)};
  });
}

TEST_CASE("a home that computes wrongly is found although others compute most of its tiles") {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    AuditedLoans audited(0.2, seed);
    audited.cluster->spoil(at_ms(2), {1}, 0.5);
    CHECK(audited.found_within(10'000));
    for (const NodeId node : audited.distrusted) CHECK(node == NodeId{1});
  }
}

TEST_CASE("where every tile is audited a spoiling thief brings no wrong frame about") {
  AuditedLoans audited(1.0, 3);
  audited.cluster->spoil_borrowed(at_ms(2), liar, 0.05);
  REQUIRE(audited.found_within(5000));
  const uint64_t stolen = audited.stolen(liar);
  audited.stream(5);
  CHECK(audited.distrusted == std::vector{liar});
  CHECK(audited.stolen(liar) == stolen);  // nobody lends it any more
  CHECK(audited.cluster->wrong_frames() == 0);
  CHECK(audited.cluster->fates().delivered == audited.cluster->fates().captured);
}

TEST_CASE("a thief of audited tiles that dies, or that its owner cannot hear, holds no frame up") {
  for (const bool dies : {true, false}) {
    CAPTURE(dies);
    AuditedLoans audited(1.0, 13);
    if (dies)
      audited.cluster->crash(at_ms(120), {3});
    else
      audited.cluster->disconnect(at_ms(120), owner, {3});
    audited.stream(20);
    CHECK(audited.cluster->fates().delivered == 20);
    CHECK(audited.cluster->canvases_left() == 0);
    CHECK(audited.cluster->breaches().empty());
    CHECK(audited.distrusted.empty());
  }
}

TEST_CASE("once it is found nothing wrong is delivered, and its tiles are computed by others") {
  Audited audited(4, 0.2, 7);
  audited.cluster->spoil(at_ms(2), liar, 0.3);
  REQUIRE(audited.found_within(5000));
  CHECK(audited.distrusted == std::vector{liar});
  const uint64_t wrong = audited.cluster->wrong_frames();
  const uint64_t computed = audited.cluster->node(liar).counters().tiles_computed;
  audited.capture(10);
  CHECK(audited.cluster->run(at_ms(72'000'000)));
  CHECK(audited.cluster->wrong_frames() == wrong);
  CHECK(audited.cluster->node(liar).counters().tiles_computed == computed);
  CHECK(audited.cluster->fates().aborted == 0);
  CHECK(audited.cluster->canvases_left() == 0);
}

TEST_CASE("where every tile is audited no frame is ever delivered wrongly") {
  Audited audited(4, 1.0, 3);
  audited.cluster->spoil(at_ms(2), liar, 0.05);
  REQUIRE(audited.found_within(5000));
  audited.capture(5);
  CHECK(audited.cluster->run(at_ms(72'000'000)));
  CHECK(audited.cluster->wrong_frames() == 0);
  CHECK(audited.cluster->fates().delivered == audited.cluster->fates().captured);
}

TEST_CASE("a machine that is always wrong is told from the two that contradict it") {
  Audited audited(3, 0.2, 5);
  audited.cluster->spoil(at_ms(2), liar, 1.0);
  CHECK(audited.found_within(2000));
  CHECK(audited.distrusted == std::vector{liar});
}

// A tile that was computed from wrong windows has another content than the same tile after the
// frame was begun again.
TEST_CASE("who computed rightly from windows that were wrong is not blamed for it") {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Audited audited(4, 0.02, seed);
    audited.cluster->spoil(at_ms(2), liar, 0.5);
    CHECK(audited.found_within(20000));
    REQUIRE(audited.plan.blocks.size() == 2);
    for (const NodeId node : audited.distrusted) CHECK(node == liar);
  }
}

TEST_CASE("audits of machines that compute rightly cost no frame and blame nobody") {
  Audited audited(4, 0.3, 11);
  audited.capture(30);
  CHECK(audited.cluster->run(at_ms(600'000)));
  CHECK(audited.cluster->fates().delivered == 30);
  CHECK(audited.cluster->node(owner).counters().tiles_audited > 200);
  CHECK(audited.cluster->node(owner).counters().tiles_disputed == 0);
  CHECK(audited.distrusted.empty());
  CHECK(audited.cluster->breaches().empty());
}

TEST_CASE("an auditor that dies or is cut off from the home holds no frame up") {
  for (const bool dies : {true, false}) {
    CAPTURE(dies);
    Audited audited(4, 1.0, 13);
    audited.capture(20);
    if (dies)
      audited.cluster->crash(at_ms(30), {3});
    else
      audited.cluster->disconnect(at_ms(30), {2}, {3});
    CHECK(audited.cluster->run(at_ms(600'000)));
    CHECK(audited.cluster->fates().delivered == 20);
    CHECK(audited.cluster->canvases_left() == 0);
    CHECK(audited.cluster->breaches().empty());
  }
}

}  // namespace
}  // namespace shingle::sim
