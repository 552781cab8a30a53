// An executor that hangs at a tile, while its node still answers messages.
#include <doctest/doctest.h>

#include "home_bench.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;

struct HangBench : HomeBench {
  HangBench() : HomeBench(std::chrono::seconds(2)) {}

  // order() returns a tile that its slot has not begun, begin() one that it has.
  Compute order(uint64_t frame) {
    const std::optional<Compute> order = HomeBench::begin(frame);
    REQUIRE(order.has_value());
    return *order;
  }
  Compute begin(uint64_t frame) {
    const Compute compute = order(frame);
    bench.give(TileBegun{compute.key, compute.tile, compute.place});
    return compute;
  }
  void finish(const Compute& order, Duration time) {
    bench.give(TileComputed{order.key, order.tile, order.attempt, order.place, time});
  }
  // Waits so many beats. Returns what the node said about readiness meanwhile.
  std::vector<PlanReady> beats(int count) {
    std::vector<PlanReady> said;
    for (int i = 0; i < count; ++i) {
      bench.wait(milliseconds(100));
      for (const uint32_t peer : {0U, 2U}) bench.hear(peer, Beat{});
      bench.give(Woken{});
      for (const PlanReady& answer : bench.said<PlanReady>(0)) said.push_back(answer);
    }
    return said;
  }
};

TEST_CASE("a home whose executor hangs takes its readiness back, and gives it when it is over") {
  HangBench home;
  home.finish(home.begin(1), milliseconds(10));
  home.bench.hear(0, FrameClosed{{NodeId{0}, 1, 1}, true});
  const Compute order = home.begin(2);
  CHECK(home.beats(2).empty());
  const auto said = home.beats(10);
  REQUIRE(said.size() == 1);
  CHECK_FALSE(said[0].ready);
  CHECK(said[0].hangs);
  CHECK(said[0].plan == home.plan.hash);
  home.finish(order, milliseconds(1200));
  const auto back = home.bench.said<PlanReady>(0);
  REQUIRE(back.size() == 1);
  CHECK(back[0].ready);
}

// The owner must not take it for hanging for ever: it may do the tiles of the lost home.
TEST_CASE("a home that loses another home while its executor hangs says so when the hang is over") {
  HangBench home;
  home.finish(home.begin(1), milliseconds(10));
  home.bench.hear(0, FrameClosed{{NodeId{0}, 1, 1}, true});
  const Compute order = home.begin(2);
  REQUIRE(home.beats(10).size() == 1);
  home.bench.give(PeerLost{NodeId{2}, "its connection closed"});
  CHECK(home.bench.said<PlanReady>(0).empty());
  home.finish(order, milliseconds(1200));
  const auto said = home.bench.said<PlanReady>(0);
  REQUIRE(said.size() == 1);
  CHECK(said[0].plan == home.plan.hash);
  CHECK_FALSE(said[0].ready);
  CHECK_FALSE(said[0].hangs);
  CHECK(said[0].lost == NodeId{2});
  // And it is ready when the other is back
  home.bench.join(2, 1, "", 2);
  const auto back = home.bench.said<PlanReady>(0);
  REQUIRE(back.size() == 1);
  CHECK(back[0].ready);
}

TEST_CASE(
    "a tile that takes eight times as long as usual hangs, one that takes four times does not") {
  HangBench home;
  home.finish(home.begin(1), milliseconds(200));
  home.bench.hear(0, FrameClosed{{NodeId{0}, 1, 1}, true});
  home.begin(2);
  CHECK(home.beats(8).empty());
  CHECK(home.beats(10).size() == 1);
}

TEST_CASE("a tile that waits for weights to be packed does not hang, until that takes too long") {
  HangBench home;
  home.finish(home.begin(1), milliseconds(10));
  home.bench.hear(0, FrameClosed{{NodeId{0}, 1, 1}, true});
  const Compute order = home.order(2);
  CHECK(home.beats(100).empty());  // 10 s of packing
  // It is watched from when it begins.
  home.bench.give(TileBegun{order.key, order.tile, order.place});
  CHECK(home.beats(2).empty());
  CHECK(home.beats(10).size() == 1);
  home.finish(order, milliseconds(1200));
  CHECK(home.bench.said<PlanReady>(0).size() == 1);
}

TEST_CASE("a tile that is never begun hangs at last, and no longer once it is") {
  HangBench home;
  const Compute order = home.order(1);
  CHECK(home.beats(1'150).empty());
  const auto said = home.beats(60);
  REQUIRE(said.size() == 1);
  CHECK(said[0].hangs);
  CHECK(said[0].why_not.find("has packed weights for a tile for") != std::string::npos);
  home.bench.give(TileBegun{order.key, order.tile, order.place});
  const auto back = home.bench.said<PlanReady>(0);
  REQUIRE(back.size() == 1);
  CHECK(back[0].ready);
  home.finish(order, milliseconds(10));
}

TEST_CASE("what a tile took is known from then on, even if its frame was closed meanwhile") {
  HangBench home;
  const Compute order = home.begin(1);
  home.bench.hear(0, FrameClosed{{NodeId{0}, 1, 1}, true});
  home.finish(order, milliseconds(200));
  home.begin(2);
  CHECK(home.beats(8).empty());
  CHECK(home.beats(10).size() == 1);
}

TEST_CASE("who asks a home whose executor hangs is told so, and hears when it is over") {
  HangBench home;
  home.finish(home.begin(1), milliseconds(10));
  home.bench.hear(0, FrameClosed{{NodeId{0}, 1, 1}, true});
  const Compute order = home.begin(2);
  CHECK(home.beats(10).size() == 1);
  // Of a plan that it holds
  home.offer();
  REQUIRE(home.bench.said<PlanReady>(0).size() == 1);
  CHECK(home.bench.said<PlanReady>(0)[0].hangs);
  // And of one that it loads meanwhile
  const LoadedPlan other = trusted_plan(home.model, bench_plan(home.model, {1}, 3));
  home.bench.hear(0, PlanOffer{other.hash, home.model.hash, print(other.plan)});
  home.bench.load(other);
  REQUIRE(home.bench.said<PlanReady>(0).size() == 1);
  CHECK(home.bench.said<PlanReady>(0)[0].plan == other.hash);
  CHECK(home.bench.said<PlanReady>(0)[0].hangs);
  home.finish(order, milliseconds(1200));
  for (const PlanReady& answer : home.bench.said<PlanReady>(0)) CHECK(answer.ready);
  CHECK(home.bench.said<PlanReady>(0).size() == 2);
}

// Node 0 owns and is the home of all tiles; its executor hangs at frame 1. Node 1 is a spare.
struct HangingOwner {
  Model model = bench_model();
  NodeBench bench{config()};
  LoadedPlan plan = proposed(2);

  HangingOwner() {
    bench.give(FrameCaptured{1, plan.hash, std::chrono::seconds(1)});
    const auto orders = bench.all<Compute>();
    REQUIRE(orders.size() == 1);
    bench.give(TileBegun{orders[0].key, orders[0].tile, orders[0].place});
  }
  static NodeConfig config() {
    NodeConfig config = bench_config(0, 2);
    config.limits.frame_slots = 1;
    config.limits.open_frames = 2;
    config.limits.waiting_frames = 5;
    config.limits.slot_awaited = std::chrono::seconds(4);
    config.limits.first_tile_allowed = std::chrono::seconds(3);
    return config;
  }
  LoadedPlan proposed(int32_t rows) {
    const LoadedPlan made = trusted_plan(model, bench_plan(model, {0}, rows));
    bench.give(PlanProposed{made.hash, model.hash, print(made.plan)});
    bench.load(made);
    return made;
  }
  // Returns what is said about it within so many tenths of a second.
  std::vector<Report> pass(int tenths, Report::Kind kind) {
    std::vector<Report> found;
    for (int i = 0; i < tenths; ++i) {
      bench.wait(milliseconds(100));
      bench.give(Woken{});
      for (const Report& report : bench.reports(kind)) found.push_back(report);
    }
    return found;
  }
};

TEST_CASE("a plan that an owner proposes while its own executor hangs is not ready by itself") {
  HangingOwner owner;
  REQUIRE(owner.pass(40, Report::Kind::plan_impaired).size() == 1);
  const LoadedPlan other = owner.proposed(3);
  CHECK(owner.bench.reports(Report::Kind::plan_ready).empty());
  // And whoever joins is given its tiles
  owner.bench.join(1);
  owner.bench.hear(1, PlanReady{other.hash, true, {}});
  owner.bench.give(FrameCaptured{2, other.hash, std::chrono::seconds(1)});
  const auto offers = owner.bench.said<PlanOffer>(1);
  REQUIRE(offers.size() == 1);
  const Result<Plan> stand_in = parse_plan(offers[0].text.str());
  REQUIRE(stand_in.ok());
  CHECK(homes(*stand_in) == std::vector{NodeId{1}});
}

TEST_CASE("a hang is not forgotten because another frame waited for a slot in vain") {
  HangingOwner owner;
  owner.pass(10, Report::Kind::frame_reissued);
  // Given a frame that waits for the slot of the one that hangs, until its patience is over
  owner.bench.give(FrameCaptured{2, owner.plan.hash, std::chrono::seconds(1)});
  const auto reissued = owner.pass(60, Report::Kind::frame_reissued);
  REQUIRE(reissued.size() == 1);
  CHECK(reissued[0].key.frame == 2);
  // Then both are given to who joins
  owner.bench.join(1);
  owner.bench.hear(1, PlanReady{owner.plan.hash, true, {}});
  const auto left = owner.bench.reports(Report::Kind::frame_reissued);
  REQUIRE(left.size() == 1);
  CHECK(left[0].key.frame == 1);
  CHECK(owner.bench.said<PlanOffer>(1).size() == 1);
}

TEST_CASE("a pause of the whole process is no hang of its executor") {
  HangBench home;
  home.finish(home.begin(1), milliseconds(10));
  home.bench.hear(0, FrameClosed{{NodeId{0}, 1, 1}, true});
  home.begin(2);
  home.bench.wait(milliseconds(1400));  // less than what peers are allowed to be silent
  home.bench.give(Woken{});
  CHECK(home.bench.said<PlanReady>(0).empty());
}

TEST_CASE("a tile that began just before a beat and a pause of the whole process does not hang") {
  HangBench home;
  home.finish(home.begin(1), milliseconds(10));
  home.bench.hear(0, FrameClosed{{NodeId{0}, 1, 1}, true});
  CHECK(home.beats(1).empty());
  home.bench.wait(milliseconds(99));
  home.begin(2);
  for (const int pause : {1, 1400, 1400}) {
    home.bench.wait(milliseconds(pause));
    home.bench.give(Woken{});
    CHECK(home.bench.said<PlanReady>(0).empty());
  }
  CHECK(home.beats(1).size() == 1);  // four beats are enough
}

}  // namespace
}  // namespace shingle
