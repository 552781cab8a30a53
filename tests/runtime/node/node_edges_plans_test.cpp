// Edge cases of the rules for plans that an owner proposes, keeps and gives up.
#include <doctest/doctest.h>

#include "recovery_bench.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

PlanHash plan_named(uint8_t name) {
  PlanHash hash;
  hash.bytes[0] = name;
  return hash;
}

// All are ready.
struct Proposer : Owner {
  explicit Proposer(NodeLimits limits = {}) : Owner(limits) { all_ready(); }
  std::string sentence_of_aborted() const {
    const std::vector<Report> reports = bench.reports(Report::Kind::frame_aborted);
    REQUIRE(reports.size() == 1);
    return reports[0].sentence;
  }
};

TEST_CASE("a plan that is proposed again while a home is away is stood in for as before") {
  Proposer owner;
  owner.capture(1);
  const LoadedPlan first = owner.stand_in({{NodeId{2}, {{1}}}});
  owner.bench.give(PeerLost{NodeId{2}, "its connection closed"});
  owner.bench.load(first);
  owner.say_ready(1, first);
  REQUIRE(owner.bench.said<FrameOpen>(1).size() == 1);
  owner.bench.hear(1, Grant{{NodeId{0}, 1, 1, 1}});
  owner.propose();
  owner.capture(2);
  REQUIRE(owner.bench.said<FrameOpen>(1).size() == 1);
  CHECK(owner.bench.said<FrameOpen>(1)[0].plan == first.hash);
}

TEST_CASE(
    "a home that did nothing of a frame and then cannot run the plan does not have it refused") {
  Proposer owner({.first_tile_allowed = seconds(1)});
  owner.capture(1);
  const FrameKey key{NodeId{0}, 1, 1};
  for (const uint32_t home : {1U, 2U}) owner.bench.hear(home, Grant{key});
  const auto asked_again = [&] { return !owner.bench.said<PlanOffer>(1).empty(); };
  bool again = false;
  for (int count = 0; count < 120 && !again; ++count) {
    tenths(owner.bench, 1, {1, 2, 3}, asked_again);
    for (const PlanOffer& offer : owner.bench.said<PlanOffer>(1))
      again = again || offer.plan == owner.wanted.hash;
  }
  REQUIRE(again);
  owner.bench.hear(1, PlanReady{owner.wanted.hash, false, "its disk is full"});
  CHECK(owner.bench.reports(Report::Kind::plan_refused).empty());
}

TEST_CASE("what failed is remembered for its sentence, as many plans as may be held") {
  Proposer owner({.plans = 2});
  owner.bench.give(PlanWithdrawn{owner.wanted.hash});
  const auto fail = [&](uint8_t name) {
    owner.bench.give(PlanProposed{plan_named(name), owner.model.hash, "text"});
    owner.bench.give(PlanLoaded{plan_named(name), Error{"it is torn"}});
  };
  fail(1);
  fail(2);
  fail(2);  // which is no further one
  owner.bench.give(FrameCaptured{1, plan_named(1), seconds(1)});
  CHECK(owner.sentence_of_aborted().find("torn") != std::string::npos);
  fail(3);
  owner.bench.give(FrameCaptured{2, plan_named(1), seconds(1)});
  CHECK(owner.sentence_of_aborted().find("torn") == std::string::npos);
}

TEST_CASE("a plan counts as used when a frame is opened on it, for whose turn it is to make way") {
  Proposer owner({.plans = 2, .attempts = 1});
  owner.bench.hear(1, PlanOffer{owner.wanted.hash, owner.model.hash, ""});
  owner.bench.wait(milliseconds(1));
  const LoadedPlan other = trusted_plan(owner.model, bench_plan(owner.model, {2, 3}));
  owner.bench.hear(2, PlanOffer{other.hash, owner.model.hash, "text"});
  owner.bench.load(other);
  owner.bench.wait(milliseconds(1));
  owner.capture(1);
  owner.bench.hear(1, Failed{Failed::Kind::at_home, {NodeId{0}, 1, 1}, {}, 0, "no memory"});
  owner.bench.give(PlanWithdrawn{owner.wanted.hash});
  owner.bench.hear(3, PlanOffer{plan_named(9), owner.model.hash, "text"});
  CHECK(owner.bench.said<PlanReady>(1).empty());
  REQUIRE(owner.bench.said<PlanReady>(2).size() == 1);
  CHECK(owner.bench.said<PlanReady>(2)[0].plan == other.hash);
}

TEST_CASE("of plans that were used at one moment the first by its hash makes way") {
  const Model model = bench_model();
  NodeBench bench(config_of(0, 4, {.plans = 2}));
  for (const uint32_t peer : {1U, 2U, 3U}) bench.join(peer);
  std::vector<PlanHash> hashes;
  for (const uint32_t peer : {1U, 2U}) {
    const LoadedPlan plan = trusted_plan(model, bench_plan(model, {peer, 3}));
    bench.hear(3, PlanOffer{plan.hash, model.hash, "text"});
    bench.load(plan);
    hashes.push_back(plan.hash);
  }
  bench.hear(3, PlanOffer{plan_named(9), model.hash, "text"});
  REQUIRE(bench.said<PlanReady>(3).size() == 1);
  CHECK(bench.said<PlanReady>(3)[0].plan == std::min(hashes[0], hashes[1]));
}

TEST_CASE("peers are told that a frame is closed when it has ended without an outcome") {
  Proposer owner({.attempts = 1});
  owner.capture(1);
  owner.bench.give(PeerLost{NodeId{2}, "its connection closed"});
  REQUIRE(owner.bench.said<FrameClosed>(1).size() == 1);
  for (const Send& send : owner.bench.all<Send>()) CHECK(send.envelope.closed_below == 2);
}

TEST_CASE("an executor that comes back from one tile says nothing of one at which it failed") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {0}, 4));
  NodeBench bench(config_of(0, 2, {.compute_slots = 2, .packing_allowed = seconds(1)}));
  bench.join(1, 0);
  bench.give(PlanProposed{plan.hash, model.hash, print(plan.plan)});
  bench.load(plan);
  bench.give(FrameCaptured{1, plan.hash, seconds(1)});
  const std::vector<Compute> orders = bench.all<Compute>();
  REQUIRE(orders.size() == 2);
  bench.give(TileBegun{orders[1].key, orders[1].tile, Place::home});
  const auto hangs = [&] { return !bench.reports(Report::Kind::plan_impaired).empty(); };
  REQUIRE(tenths(bench, 20, {1}, hangs) <= 20);
  bench.give(
      TileComputed{orders[1].key, orders[1].tile, 0, Place::home, milliseconds(1), Error{"torn"}});
  bench.give(TileComputed{orders[0].key, orders[0].tile, 0, Place::home, milliseconds(1)});
  CHECK(bench.reports(Report::Kind::plan_ready).empty());
  const auto ready = [&] { return !bench.reports(Report::Kind::plan_ready).empty(); };
  CHECK(tenths(bench, 60, {1}, ready) == 50);
}

TEST_CASE("a plan that is withdrawn is kept for an owner that has not heard of it yet") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1, 2}));
  NodeBench bench(bench_config(1, 3));
  bench.join(0);
  bench.hear(0, PlanOffer{plan.hash, model.hash, print(plan.plan)});
  bench.load(plan);
  REQUIRE(bench.said<PlanReady>(0).empty());  // node 2 is away
  bench.give(PlanProposed{plan.hash, model.hash, print(plan.plan)});
  bench.give(PlanWithdrawn{plan.hash});
  bench.join(2);
  REQUIRE(bench.said<PlanReady>(0).size() == 1);
  CHECK(bench.said<PlanReady>(0)[0].ready);
}

}  // namespace
}  // namespace shingle
