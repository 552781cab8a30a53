// Homes that have joined but do not compute a frame, on the bench: they hang, or send nothing of
// what they granted.
#include <doctest/doctest.h>

#include "recovery_bench.hpp"

namespace shingle {
namespace {

using std::chrono::seconds;

// Both homes gave frame 1 a slot and still beat, but send nothing of it. A tile may take 10 s.
struct HeldUp : RecoveryBench {
  HeldUp() : RecoveryBench({.first_tile_allowed = seconds(10)}) {
    for (const uint32_t home : {1U, 2U}) bench.hear(home, Grant{key(0)});
  }
  bool is_reissued_in(int tenths) {
    return pass(tenths, {1, 2, 3}, [&] { return count(Report::Kind::frame_reissued) > 0; });
  }
};

TEST_CASE("a home that gave a slot and does nothing of the frame is left for a stand-in") {
  HeldUp owner;
  CHECK_FALSE(owner.is_reissued_in(198));
  REQUIRE(owner.is_reissued_in(4));
  CHECK(owner.bench.reports(Report::Kind::frame_reissued)[0].sentence ==
        "frame 1 is begun again: node 1 has given frame 1 a slot, and tile 0 of it has not come in "
        "20 s");
  const auto offers = owner.bench.said<PlanOffer>(2);
  REQUIRE(offers.size() == 1);
  CHECK(offers[0].plan == owner.without(1, {{2}}).hash);
}

TEST_CASE("a frame of which something is heard now and then is left alone, however long it takes") {
  HeldUp owner;
  for (const uint32_t tile : {0U, 1U, 2U}) {
    CHECK_FALSE(owner.is_reissued_in(198));
    owner.bench.hear(tile % 2 + 1, Done{owner.key(0), TileId{tile}, NodeId{tile % 2 + 1}, 0, {}});
    REQUIRE(owner.count(Report::Kind::tile_done) == 1);
  }
  CHECK_FALSE(owner.is_reissued_in(198));
  REQUIRE(owner.is_reissued_in(4));
  CHECK(owner.bench.reports(Report::Kind::frame_reissued)[0].sentence.find("node 2") !=
        std::string::npos);
}

TEST_CASE("a home that says all is done and keeps the outcome is left as well") {
  HeldUp owner;
  for (const uint32_t tile : {0U, 1U, 2U, 3U})
    owner.bench.hear(tile % 2 + 1, Done{owner.key(0), TileId{tile}, NodeId{tile % 2 + 1}, 0, {}});
  REQUIRE(owner.is_reissued_in(202));
  CHECK(owner.bench.reports(Report::Kind::frame_reissued)[0].sentence.find("strip") !=
        std::string::npos);
}

TEST_CASE("a home that does nothing is left when its time is over, not a beat later") {
  HeldUp owner;
  const auto left = [&] { return owner.count(Report::Kind::frame_reissued) > 0; };
  CHECK(tenths(owner.bench, 210, {1, 2, 3}, left) == 200);
}

// Node 0 owns frames. All tiles are at node 1, which hangs. Node 2 has not joined yet.
struct HangingHome {
  Model model = bench_model();
  LoadedPlan plan = trusted_plan(model, bench_plan(model, {1}));
  NodeBench bench{Owner::config({})};

  HangingHome() {
    bench.join(1);
    bench.give(PlanProposed{plan.hash, model.hash, print(plan.plan)});
    bench.load(plan);
    bench.hear(1, PlanReady{plan.hash, true, {}});
    bench.give(FrameCaptured{1, plan.hash, seconds(1)});
    bench.hear(1, Grant{{NodeId{0}, 1, 1}});
    bench.hear(1, PlanReady{.plan = plan.hash, .why_not = "it hangs", .hangs = true});
  }
  size_t reissued() {
    bench.wait(std::chrono::milliseconds(100));
    bench.hear(1, Beat{});
    bench.give(Woken{});
    return bench.reports(Report::Kind::frame_reissued).size();
  }
};

TEST_CASE("a frame whose only home hangs waits for it, and goes on with it when that is over") {
  HangingHome owner;
  for (int beat = 0; beat < 100; ++beat) CHECK(owner.reissued() == 0);
  owner.bench.hear(1, PlanReady{owner.plan.hash, true, {}});
  CHECK(owner.bench.reports(Report::Kind::plan_ready).size() == 1);
  owner.bench.give(FrameCaptured{2, owner.plan.hash, seconds(1)});
  CHECK(owner.bench.said<FrameOpen>(1).size() == 1);
}

TEST_CASE("a spare that had refused the plan is asked again once nobody else is left") {
  HangingHome owner;
  owner.bench.join(2);
  const auto offers_in = [&](int tenths) {
    size_t offers = 0;
    for (; tenths > 0; --tenths) {
      owner.bench.hear(2, Beat{});
      CHECK(owner.reissued() == 0);
      for (const PlanOffer& offer : owner.bench.said<PlanOffer>(2))
        offers += offer.plan == owner.plan.hash ? 1 : 0;  // not the stand-in that is hoped for
    }
    return offers;
  };
  owner.bench.hear(2, PlanReady{owner.plan.hash, false, "it does not fit the memory that is left"});
  CHECK(offers_in(49) == 0);
  CHECK(offers_in(3) == 1);
  owner.bench.hear(2, PlanReady{owner.plan.hash, false, "it does not fit the memory that is left"});
  CHECK(offers_in(51) == 1);
  owner.bench.hear(2, PlanReady{owner.plan.hash, true, {}});
  CHECK(owner.bench.reports(Report::Kind::frame_reissued).size() == 1);
}

TEST_CASE("a spare that refused the plan is left in peace while its homes are there") {
  RecoveryBench owner;
  const LoadedPlan other = trusted_plan(owner.model, bench_plan(owner.model, {1, 2}, 3));
  owner.bench.give(PlanProposed{other.hash, owner.model.hash, print(other.plan)});
  owner.bench.load(other);
  for (const uint32_t home : {1U, 2U}) owner.say_ready(home, other);
  owner.bench.hear(3, PlanReady{other.hash, false, "model 12 is not in its folder"});
  CHECK_FALSE(owner.pass(120, {1, 2, 3}, [&] { return !owner.bench.said<PlanOffer>(3).empty(); }));
}

TEST_CASE("a hang is remembered: who joins later and can do the tiles is given them") {
  HangingHome owner;
  CHECK(owner.reissued() == 0);
  owner.bench.join(2);
  CHECK(owner.reissued() == 0);  // it may lack the model
  owner.bench.hear(2, PlanReady{owner.plan.hash, true, {}});
  const LoadedPlan stand_in = trusted_plan(
      owner.model, shingle::stand_in(owner.plan.plan, {{.lost = NodeId{1}, .heirs = {{2}}}}));
  CHECK(owner.bench.reports(Report::Kind::frame_reissued).size() == 1);
  REQUIRE(owner.bench.said<PlanOffer>(2).size() == 1);
  CHECK(owner.bench.said<PlanOffer>(2)[0].plan == stand_in.hash);
}

}  // namespace
}  // namespace shingle
