// An executor that does not come back from a tile, while its node goes on talking.
#include <doctest/doctest.h>

#include "node_bench.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;

// Node 1 is a home of the plan; node 0 owns the frames and computes nothing.
struct HangBench {
  Model model = bench_model();
  LoadedPlan plan = trusted_plan(model, bench_plan(model, {1, 2}));
  NodeBench bench{patient(bench_config(1, 3))};

  static NodeConfig patient(NodeConfig config) {
    config.limits.silence_allowed = std::chrono::seconds(2);
    return config;
  }
  HangBench() {
    bench.join(0, 0);
    bench.join(2);
    bench.hear(0, PlanOffer{plan.hash, model.hash, print(plan.plan)});
    bench.load(plan);
  }
  // The first tile of a frame begins here; the order to compute it.
  Compute begin(uint64_t frame) {
    const FrameKey key{NodeId{0}, 1, frame};
    bench.hear(0, FrameOpen{key, plan.hash, std::chrono::seconds(1)});
    for (uint32_t id = 0; id < plan.routes.strips.size(); ++id) {
      const Strip& strip = plan.routes.strips[id];
      if (strip.producer || strip.destination != NodeId{1}) continue;
      Piece piece{key, prefix64(plan.hash), Piece::Role::promised, {}, 0, id};
      bench.hear(0, piece, strip.bytes);
      if (const auto orders = bench.all<Compute>(); !orders.empty()) return orders.front();
    }
    REQUIRE(false);
    return {};
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
