// Edge cases of what an owner keeps of answers, and of whom it counts on for stand-ins.
#include <doctest/doctest.h>

#include "audit_bench.hpp"
#include "recovery_bench.hpp"

namespace shingle {
namespace {

using std::chrono::seconds;

PlanHash plan_named(uint8_t name) {
  PlanHash hash;
  hash.bytes[0] = name;
  return hash;
}

constexpr auto never = [] { return false; };

// --- plans that are proposed again ---

TEST_CASE("a plan that is proposed again is reported ready again") {
  Owner owner;
  owner.all_ready();
  owner.propose();
  owner.say_ready(1, owner.wanted);
  CHECK(owner.count(Report::Kind::plan_ready) == 0);
  owner.say_ready(2, owner.wanted);
  CHECK(owner.count(Report::Kind::plan_ready) == 1);
}

TEST_CASE("who is back and computes nothing is not waited for once the plan is proposed again") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1}));
  NodeBench bench(Owner::config({}, 3));
  for (const uint32_t peer : {1U, 2U}) bench.join(peer);
  const PlanProposed proposal{plan.hash, model.hash, print(plan.plan)};
  bench.give(proposal);
  bench.load(plan);
  bench.give(PeerLost{NodeId{2}, "gone"});
  bench.join(2, 0, "", 2);
  bench.give(proposal);
  bench.hear(1, PlanReady{plan.hash, true, {}});
  bench.give(FrameCaptured{1, plan.hash, seconds(1)});
  bench.hear(1, Failed{Failed::Kind::at_home, {NodeId{0}, 1, 1}, TileId{0}, 0, "no memory"});
  CHECK(bench.reports(Report::Kind::frame_aborted).size() == 1);
}

TEST_CASE("no stand-in is looked for once a plan is refused, though more of its frames wait") {
  Owner owner;
  for (const uint32_t peer : {1U, 2U, 3U}) owner.lose(peer);
  owner.bench.join(2, 0, "", 2);
  for (const uint64_t frame : {1U, 2U}) owner.capture(frame);
  REQUIRE(owner.count(Report::Kind::frame_aborted) == 0);  // node 1 may be starting anew
  owner.bench.join(3, 1, "", 2);
  owner.propose();
  CHECK(owner.count(Report::Kind::plan_refused) == 1);
  CHECK(owner.count(Report::Kind::frame_aborted) == 2);
  CHECK(owner.bench.all<LoadPlan>().empty());
}

TEST_CASE("a plan whose own text is none of it is refused once") {
  const Model model = bench_model();
  NodeBench bench(Owner::config({}));
  bench.give(PlanProposed{plan_named(9), model.hash, "text"});
  bench.give(PlanLoaded{plan_named(9), Error{"it does not hash to that"}});
  CHECK(bench.reports(Report::Kind::plan_refused).size() == 1);
}

TEST_CASE("a plan of a home that is no member stays refused, whatever becomes of its other home") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1, 9}));
  NodeBench bench(Owner::config({}));
  for (const uint32_t peer : {1U, 2U, 3U}) bench.join(peer);
  bench.give(PlanProposed{plan.hash, model.hash, print(plan.plan)});
  bench.load(plan);
  REQUIRE(bench.reports(Report::Kind::plan_refused).size() == 1);
  for (const uint32_t peer : {1U, 2U, 3U}) bench.hear(peer, PlanReady{plan.hash, true, {}});
  bench.give(PeerLost{NodeId{1}, "gone"});
  tenths(bench, 3, {2, 3}, never);
  bench.give(FrameCaptured{1, plan.hash, seconds(1)});
  REQUIRE(bench.reports(Report::Kind::frame_aborted).size() == 1);
  CHECK(bench.reports(Report::Kind::frame_aborted)[0].sentence.find("not in the cluster") !=
        std::string::npos);
}

// --- stand-ins ---

TEST_CASE("a stand-in that a frame waits for makes no way for another's plan") {
  RecoveryBench owner({.plans = 2});
  owner.lose(2);
  owner.bench.load(owner.without(2, {{1}}));
  tenths(owner.bench, 60, {1, 3}, never);
  owner.bench.hear(3, PlanOffer{plan_named(9), owner.model.hash, "text"});
  REQUIRE(owner.bench.said<PlanReady>(3).size() == 1);
  CHECK(owner.bench.said<PlanReady>(3)[0].again);
}

TEST_CASE("a frame waits for a stand-in while there is no room for it here") {
  RecoveryBench owner({.plans = 2});
  owner.bench.hear(3, PlanOffer{plan_named(9), owner.model.hash, "text"});  // is being loaded
  owner.lose(2);
  REQUIRE(owner.count(Report::Kind::plan_refused) == 1);
  CHECK_FALSE(owner.pass(70, {1, 3}, [&] { return owner.count(Report::Kind::frame_aborted) > 0; }));
  owner.bench.give(PlanLoaded{plan_named(9), Error{"it is torn"}});
  CHECK(owner.pass(60, {1, 3}, [&] { return !owner.bench.all<LoadPlan>().empty(); }));
}

TEST_CASE("of homes that are no heirs to each other the first inherits alone") {
  const Model model = bench_model(18);
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1, 2, 3}, 3));
  const LoadedPlan alone =
      trusted_plan(model, shingle::stand_in(plan.plan, {{NodeId{2}, {{1}}}, {NodeId{3}, {{1}}}}));
  NodeBench bench(Owner::config({}));
  for (const uint32_t peer : {1U, 2U, 3U}) bench.join(peer);
  bench.give(PlanProposed{plan.hash, model.hash, print(plan.plan)});
  bench.load(plan);
  for (const uint32_t peer : {1U, 2U, 3U}) bench.hear(peer, PlanReady{plan.hash, true, {}});
  bench.hear(3, PlanReady{plan.hash, false, "it lost node 2", NodeId{2}});
  bench.hear(3, PlanReady{.plan = plan.hash, .why_not = "its file is gone", .damaged = true});
  bench.hear(2, PlanReady{plan.hash, false, "it lost node 1", NodeId{1}});
  bench.give(FrameCaptured{1, plan.hash, seconds(1)});
  REQUIRE_FALSE(bench.said<PlanOffer>(1).empty());
  CHECK(bench.said<PlanOffer>(1)[0].plan == alone.hash);
}

TEST_CASE("who is no home of a plan is not believed that it lost one") {
  Owner owner;
  owner.all_ready();
  owner.bench.hear(3, PlanReady{owner.wanted.hash, false, "it lost node 1", NodeId{1}});
  owner.capture();
  const LoadedPlan first = owner.stand_in({{NodeId{2}, {{1}}}});
  owner.lose(2);
  owner.bench.load(first);
  owner.decline(1, first);
  CHECK(owner.offered(3, owner.stand_in({{NodeId{2}, {{3}}}})));
}

TEST_CASE("a plan that is proposed while its home packs its weights again is stood in for") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {0}));
  NodeBench bench(bench_config(0, 2));
  bench.join(1);
  bench.give(WeightsDamaged{"a bit flipped"});
  bench.give(PlanProposed{plan.hash, model.hash, print(plan.plan)});
  bench.load(plan);
  bench.hear(1, PlanReady{plan.hash, true, {}});
  bench.give(FrameCaptured{1, plan.hash, seconds(1)});
  CHECK(bench.reports(Report::Kind::frame_aborted).empty());
  const LoadedPlan first = trusted_plan(model, stand_in(plan.plan, {{NodeId{0}, {{1}}}}));
  REQUIRE(bench.said<PlanOffer>(1).size() == 1);
  CHECK(bench.said<PlanOffer>(1)[0].plan == first.hash);
}

// A stand-in may be proposed as any other plan, and then be stood in for itself.
TEST_CASE("a stand-in may be kept for longer than the plan that it stands for") {
  RecoveryBench owner;
  const LoadedPlan first = owner.without(2, {{1}});
  const auto finish = [&](uint32_t home, const LoadedPlan& plan, const FrameKey& key) {
    owner.bench.load(plan);
    owner.say_ready(home, plan);
    owner.bench.hear(home, Grant{key});
    owner.finish(plan, key);
    REQUIRE(owner.bench.all<Deliver>().size() == 1);
  };
  owner.lose(2);
  finish(1, first, owner.key(1));
  const PlanProposed proposal{first.hash, owner.model.hash, print(first.plan)};
  owner.bench.give(proposal);
  for (const uint32_t peer : {1U, 3U}) owner.say_ready(peer, first);
  owner.bench.give(FrameCaptured{2, first.hash, seconds(1)});
  owner.lose(1);
  const LoadedPlan second =
      trusted_plan(owner.model, shingle::stand_in(first.plan, {{NodeId{1}, {{3}}}}));
  finish(3, second, owner.key(1, 2));
  owner.bench.join(1, 0, "", 2);
  owner.bench.give(proposal);
  REQUIRE(owner.count(Report::Kind::plan_refused) == 1);  // node 1 computes nothing now
  owner.bench.give(PlanWithdrawn{first.hash});
  tenths(owner.bench, 60, {1, 3}, never);  // the first is forgotten
  owner.decline(3, second);
  owner.say_ready(3, second);
  owner.bench.hear(3, PlanReady{.plan = second.hash, .why_not = "it hangs", .hangs = true});
  CHECK(owner.count(Report::Kind::plan_impaired) == 1);  // of the second alone
  CHECK(owner.bench.refused() == 0);
}

// --- trust ---

// Node 1, the only home of the plan, is trusted no more.
struct DistrustedHome : OwnerOfAudits {
  DistrustedHome() {
    for (int attempt = 0; attempt < 2; ++attempt) {
      const std::vector<uint32_t> auditors = open();
      done(1, wrong);
      result(auditors[0], right);
    }
    REQUIRE(blamed() == std::vector{NodeId{1}});
  }
  bool aborted() const { return !bench.reports(Report::Kind::frame_aborted).empty(); }
};

TEST_CASE("a plan whose home is trusted no more can be proposed again, and is stood in for") {
  DistrustedHome owner;
  REQUIRE_FALSE(owner.aborted());
  owner.bench.give(PlanProposed{owner.plan.hash, owner.model.hash, "text"});
  CHECK_FALSE(owner.aborted());
  CHECK(owner.bench.said<PlanOffer>(1).empty());
  CHECK(owner.bench.said<PlanOffer>(2).size() == 1);
}

TEST_CASE("why a node is trusted no more is still known when it has come back") {
  DistrustedHome owner;
  owner.bench.give(PeerLost{NodeId{1}, "gone"});
  owner.bench.join(1, 1, "", 2);
  CHECK(owner.bench.said<PlanOffer>(1).empty());
  for (const uint32_t peer : {2U, 3U, 4U}) owner.bench.give(PeerLost{NodeId{peer}, "gone"});
  REQUIRE(tenths(owner.bench, 60, {1}, [&] { return owner.aborted(); }) <= 60);
  CHECK(owner.bench.reports(Report::Kind::frame_aborted)[0].sentence.find(
            "differently from two others") != std::string::npos);
}

}  // namespace
}  // namespace shingle
