// An executor that does not come back from a tile, while its node goes on talking.
#include <doctest/doctest.h>

#include "home_bench.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;

struct HangBench : HomeBench {
  HangBench() : HomeBench(std::chrono::seconds(2)) {}

  // A tile that its slot is asked for, and one that it is at.
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
    bench.give(TileComputed{order.key, order.tile, order.attempt, order.place, time, {}});
  }
  // So many beats; what was said of readiness in them.
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

TEST_CASE("a pause of the whole process is no hang of its executor") {
  HangBench home;
  home.finish(home.begin(1), milliseconds(10));
  home.bench.hear(0, FrameClosed{{NodeId{0}, 1, 1}, true});
  home.begin(2);
  home.bench.wait(milliseconds(1400));  // less than what peers are allowed to be silent
  home.bench.give(Woken{});
  CHECK(home.bench.said<PlanReady>(0).empty());
}

}  // namespace
}  // namespace shingle
