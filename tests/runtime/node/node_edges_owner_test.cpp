// Edge cases of the rules for owners.
#include <doctest/doctest.h>

#include <algorithm>

#include "edges_bench.hpp"
#include "recovery_bench.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Its frame runs; of several pieces for node 1 one has left, and the credit allows no other.
struct FullCredit : Owner {
  FullCredit() : Owner({.link_credit_bytes = 1000}, 300) {
    all_ready();
    capture();
    for (const uint32_t home : {1U, 2U}) bench.hear(home, Grant{key});
    const std::vector<Piece> sent = bench.said<Piece>(1);
    REQUIRE(sent.size() == 1);
    bytes = static_cast<uint64_t>(wanted.routes.strips[sent[0].index].bytes);
  }
  const FrameKey key{NodeId{0}, 1, 1};
  uint64_t bytes = 0;  // of the piece that has left
};

TEST_CASE("an heir that has room after all inherits at once") {
  Owner owner;
  owner.all_ready();
  owner.capture();
  const LoadedPlan first = owner.stand_in({{NodeId{2}, {{1}}}});
  owner.lose(2);
  owner.bench.load(first);
  owner.decline(1, first);
  CHECK(owner.bench.said<FrameOpen>(1).empty());
  owner.say_ready(1, first);
  REQUIRE(owner.bench.said<FrameOpen>(1).size() == 1);
  CHECK(owner.bench.said<FrameOpen>(1)[0].plan == first.hash);
  CHECK(owner.bench.node().counters().frames_reissued == 1);
}

TEST_CASE("a home that had no room and is asked again is stood in for until it answers") {
  Owner owner;
  owner.all_ready();
  const LoadedPlan first = owner.stand_in({{NodeId{2}, {{1}}}});
  owner.bench.hear(2, PlanReady{owner.wanted.hash, false, "it gave the plan up", {}, true});
  owner.capture();
  owner.bench.load(first);
  owner.say_ready(1, first);
  owner.bench.hear(1, Grant{{NodeId{0}, 1, 1}});
  const auto asked = [&] { return owner.offered(2, owner.wanted); };
  REQUIRE(tenths(owner.bench, 60, {1, 2, 3}, asked) <= 60);
  owner.bench.give(FrameCaptured{2, owner.wanted.hash, seconds(1)});
  REQUIRE(owner.bench.said<FrameOpen>(1).size() == 1);
  CHECK(owner.bench.said<FrameOpen>(1)[0].plan == first.hash);
}

TEST_CASE("who was lost before a plan was proposed inherits nothing") {
  Owner owner;
  owner.lose(3);
  const LoadedPlan plan = trusted_plan(owner.model, bench_plan(owner.model, {2, 1}));
  owner.bench.give(PlanProposed{plan.hash, owner.model.hash, print(plan.plan)});
  owner.bench.load(plan);
  for (const uint32_t peer : {1U, 2U}) owner.say_ready(peer, plan);
  owner.bench.give(FrameCaptured{1, plan.hash, seconds(1)});
  owner.lose(1);
  owner.lose(2);
  CHECK(owner.bench.all<LoadPlan>().empty());
}

TEST_CASE("a stand-in that could not be loaded here is tried again when its time is over") {
  Owner owner({.return_awaited = seconds(60)});
  owner.all_ready();
  owner.capture();
  owner.lose(2);
  const PlanHash first = owner.stand_in({{NodeId{2}, {{1}}}}).hash;
  owner.bench.give(PlanLoaded{first, Error{"it does not fit"}});
  const auto tried = [&] { return !owner.bench.all<LoadPlan>().empty(); };
  CHECK(tenths(owner.bench, 60, {1, 3}, tried) == 50);
}

TEST_CASE("a hanging home is left for one that has said nothing as yet, after a while") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1}));
  const LoadedPlan first = trusted_plan(model, shingle::stand_in(plan.plan, {{NodeId{1}, {{2}}}}));
  NodeBench bench(Owner::config({}, 3));
  for (const uint32_t peer : {1U, 2U}) bench.join(peer);
  bench.give(PlanProposed{plan.hash, model.hash, print(plan.plan)});
  bench.load(plan);
  bench.hear(1, PlanReady{plan.hash, true, {}});
  bench.give(FrameCaptured{1, plan.hash, seconds(1)});
  bench.hear(1, Grant{{NodeId{0}, 1, 1}});
  bench.hear(1, PlanReady{.plan = plan.hash, .why_not = "it hangs", .hangs = true});
  const auto offered = [&] { return !bench.said<PlanOffer>(2).empty(); };
  REQUIRE(tenths(bench, 60, {1, 2}, offered) <= 60);
  CHECK(bench.said<PlanOffer>(2)[0].plan == first.hash);
  bench.load(first);
  bench.hear(2, PlanReady{first.hash, true, {}});
  CHECK(bench.reports(Report::Kind::frame_reissued).size() == 1);
}

TEST_CASE("a plan that is withdrawn is held no longer") {
  Owner owner;
  owner.bench.give(PlanWithdrawn{owner.wanted.hash});
  owner.bench.hear(1, PlanOffer{owner.wanted.hash, owner.model.hash, ""});
  REQUIRE(owner.bench.said<PlanReady>(1).size() == 1);
  CHECK(owner.bench.said<PlanReady>(1)[0].again);
}

// A home that says it is ready, and then that it computes nothing. No honest node does that.
TEST_CASE("a plan that is refused and withdrawn is kept for the frame that is under way on it") {
  Owner owner;
  owner.lose(2);
  owner.bench.join(2, 0, "", 2);
  for (const uint32_t home : {1U, 2U}) owner.say_ready(home, owner.wanted);
  owner.capture();
  REQUIRE(owner.bench.said<FrameOpen>(1).size() == 1);
  const FrameKey key = owner.bench.said<FrameOpen>(1)[0].key;
  owner.propose();
  REQUIRE(owner.count(Report::Kind::plan_refused) == 1);
  owner.bench.give(PlanWithdrawn{owner.wanted.hash});
  CHECK_FALSE(
      owner.pass(60, {1, 2, 3}, [&] { return owner.count(Report::Kind::frame_aborted) > 0; }));
  owner.bench.hear(1, Grant{key});
  CHECK(owner.bench.said<FrameOpen>(2).size() == 1);
}

TEST_CASE("what waits to be sent of an attempt that has ended is not sent") {
  FullCredit owner;
  owner.lose(2);
  owner.bench.envelope().pasted_bytes = owner.bytes;
  owner.bench.hear(1, Beat{});
  CHECK(owner.bench.refused() == 0);
  CHECK(owner.bench.said<Piece>(1).empty());
}

TEST_CASE("a piece that leaves says what was taken in, and needs no beat beside it") {
  FullCredit owner;
  const auto& strips = owner.wanted.routes.strips;
  owner.bench.envelope().pasted_bytes = owner.bytes;
  for (const StripId id : owner.wanted.routes.to_owner) {
    if (tile(owner.wanted.plan, *strips[id.value].producer).home != NodeId{1}) continue;
    owner.bench.hear(
        1, Piece{owner.key, prefix64(owner.wanted.hash), Piece::Role::promised, {}, 0, id.value},
        strips[id.value].bytes);
    break;
  }
  CHECK(owner.bench.said<Piece>(1).size() == 1);
  CHECK(owner.bench.said<Beat>(1).empty());
}

TEST_CASE("a home that refuses a stand-in in which it inherits nothing is stood in for as well") {
  Owner owner;
  owner.all_ready();
  owner.capture();
  const LoadedPlan first = owner.stand_in({{NodeId{2}, {{1}}}}),
                   second = owner.stand_in({{NodeId{2}, {{3}}}});
  owner.lose(2);
  owner.bench.load(first);
  owner.decline(1, first);
  REQUIRE(owner.offered(1, second));
  owner.bench.load(second);
  owner.decline(1, second);
  CHECK(owner.offered(3, owner.stand_in({{NodeId{1}, {{3}}}, {NodeId{2}, {{3}}}})));
}

TEST_CASE("a home that is lost before it was ever ready is stood in for") {
  Owner owner;
  owner.say_ready(1, owner.wanted);
  owner.lose(2);
  owner.capture();
  CHECK(owner.offered(1, owner.stand_in({{NodeId{2}, {{1}}}})));
}

TEST_CASE("a second copy of a strip of the outcome changes nothing") {
  Owner owner;
  owner.all_ready();
  owner.capture();
  const FrameKey key{NodeId{0}, 1, 1};
  for (const uint32_t home : {1U, 2U}) owner.bench.hear(home, Grant{key});
  const StripId id = owner.wanted.routes.to_owner.at(0);
  const Strip& strip = owner.wanted.routes.strips[id.value];
  const uint32_t home = tile(owner.wanted.plan, *strip.producer).home.value;
  const Piece piece{key, prefix64(owner.wanted.hash), Piece::Role::promised, {}, 0, id.value};
  owner.bench.hear(home, piece, strip.bytes);
  CHECK(owner.bench.all<Paste>().size() == 1);
  owner.bench.hear(home, piece, strip.bytes);
  CHECK(owner.bench.all<Paste>().empty());
}

TEST_CASE("a tile that is done is reported with who computed it and how long that took") {
  Owner owner;
  owner.all_ready();
  owner.capture();
  const FrameKey key{NodeId{0}, 1, 1};
  for (const uint32_t home : {1U, 2U}) owner.bench.hear(home, Grant{key});
  REQUIRE(tile(owner.wanted.plan, TileId{2}).home == NodeId{1});
  owner.bench.hear(1, Done{key, TileId{2}, NodeId{3}, 0, milliseconds(5), {}});
  const std::vector<Report> reports = owner.bench.reports(Report::Kind::tile_done);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].tile == TileId{2});
  CHECK(reports[0].node == NodeId{3});
  CHECK(reports[0].elapsed == milliseconds(5));
  owner.bench.hear(1, Done{key, TileId{2}, NodeId{3}, 0, milliseconds(5), {}});
  CHECK(owner.bench.reports(Report::Kind::tile_done).empty());
}

TEST_CASE("a strip of the outcome that comes before the frame runs is not believed") {
  Owner owner;
  owner.all_ready();
  owner.capture();
  const FrameKey key{NodeId{0}, 1, 1};
  owner.bench.hear(1, Grant{key});
  for (const StripId id : owner.wanted.routes.to_owner) {
    const Strip& strip = owner.wanted.routes.strips[id.value];
    const uint32_t home = tile(owner.wanted.plan, *strip.producer).home.value;
    owner.bench.hear(
        home, Piece{key, prefix64(owner.wanted.hash), Piece::Role::promised, {}, 0, id.value},
        strip.bytes);
    CHECK(owner.bench.all<Paste>().empty());
  }
}

TEST_CASE("a frame whose plan cannot be loaded ends at once") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1}));
  NodeBench bench(Owner::config({}, 3));
  bench.give(PlanProposed{plan.hash, model.hash, "text"});
  bench.give(FrameCaptured{1, plan.hash, seconds(1)});
  CHECK(bench.reports(Report::Kind::frame_aborted).empty());
  bench.give(PlanLoaded{plan.hash, Error{"it does not hash to that"}});
  CHECK(bench.reports(Report::Kind::frame_aborted).size() == 1);
}

TEST_CASE("a home that gives no slot is left when its time is over, sooner if it does nothing") {
  for (const bool computes : {false, true}) {
    CAPTURE(computes);
    Owner owner({.slot_awaited = seconds(1), .first_tile_allowed = seconds(3)});
    owner.all_ready();
    owner.capture();
    owner.bench.envelope().running_tiles = computes ? 1 : 0;
    const auto left = [&] { return !owner.bench.reports(Report::Kind::frame_reissued).empty(); };
    CHECK(tenths(owner.bench, 50, {1, 2, 3}, left) == (computes ? 30 : 10));
  }
}

TEST_CASE("a home that never says that it is ready is given up when its time is over") {
  Owner owner({.answer_awaited = seconds(3)});
  owner.say_ready(1, owner.wanted);
  const auto refused = [&] { return !owner.bench.reports(Report::Kind::plan_refused).empty(); };
  CHECK(tenths(owner.bench, 50, {1, 2, 3}, refused) == 30);
}

TEST_CASE("an owner whose weights cannot be packed again never counts on itself") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {0}));
  NodeBench bench(bench_config(0, 2));
  bench.join(1, 0);
  bench.give(PlanProposed{plan.hash, model.hash, print(plan.plan)});
  bench.load(plan);
  REQUIRE(bench.reports(Report::Kind::plan_ready).size() == 1);
  bench.give(WeightsDamaged{"a bit flipped"});
  bench.give(PackedAgain{Error{"the file is gone"}});
  const auto ready = [&] { return !bench.reports(Report::Kind::plan_ready).empty(); };
  CHECK(tenths(bench, 120, {1}, ready) == 121);
}

TEST_CASE("homes that have found each other again inherit together") {
  const Model model = bench_model(18);
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1, 2, 3}, 3));
  const LoadedPlan both =
      trusted_plan(model, shingle::stand_in(plan.plan, {{NodeId{3}, {{1}, {2}}}}));
  NodeBench bench(Owner::config({}));
  for (const uint32_t peer : {1U, 2U, 3U}) bench.join(peer);
  bench.give(PlanProposed{plan.hash, model.hash, print(plan.plan)});
  bench.load(plan);
  for (const uint32_t peer : {1U, 2U, 3U}) bench.hear(peer, PlanReady{plan.hash, true, {}});
  bench.hear(1, PlanReady{plan.hash, false, "it lost node 2", NodeId{2}});
  bench.hear(1, PlanReady{plan.hash, true, {}});
  bench.give(PeerLost{NodeId{3}, "gone"});
  bench.give(FrameCaptured{1, plan.hash, seconds(1)});
  REQUIRE_FALSE(bench.said<PlanOffer>(1).empty());
  CHECK(bench.said<PlanOffer>(1)[0].plan == both.hash);
}

}  // namespace
}  // namespace shingle
