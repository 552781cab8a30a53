// Tiles of one owner's frames are computed in the order of capture, however long messages took.
#include <doctest/doctest.h>

#include "node_bench.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;

Piece promised_strip(const LoadedPlan& plan, const FrameKey& key, StripId strip) {
  return {.key = key,
          .plan = prefix64(plan.hash),
          .role = Piece::Role::promised,
          .tile = {},
          .attempt = 0,
          .index = strip.value};
}

}  // namespace

TEST_CASE("a later frame that says it has less time left does not overtake an earlier one") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1}, 2));
  NodeBench home(bench_config(1, 2));
  home.join(0);
  home.hear(0, PlanOffer{plan.hash, model.hash, "text"});
  home.load(plan);
  // given: two frames, the second's opening faster on its way
  const FrameKey first{NodeId{0}, 1, 7}, second{NodeId{0}, 1, 8};
  home.hear(0, FrameOpen{first, plan.hash, milliseconds(500)});
  home.hear(0, FrameOpen{second, plan.hash, milliseconds(100)});
  const auto fill = [&](const FrameKey& key) {
    for (const StripId id : plan.routes.from_frame)
      home.hear(0, promised_strip(plan, key, id), plan.routes.strips[id.value].bytes);
  };
  // when: tiles of both are ready
  fill(second);  // its first tile runs: nothing else was ready
  fill(first);
  home.give(TileComputed{second, TileId{0}, 0, Place::home, milliseconds(1)});
  // then: the first frame's come next
  const auto orders = home.all<Compute>();
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].key == first);
}

TEST_CASE("a frame of another owner that has less time left does overtake") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1}, 2));
  NodeBench home(bench_config(1, 3));
  for (uint32_t owner : {0U, 2U}) {
    home.join(owner);
    home.hear(owner, PlanOffer{plan.hash, model.hash, "text"});
  }
  home.load(plan);
  const FrameKey patient{NodeId{0}, 1, 7}, hasty{NodeId{2}, 1, 8};
  home.hear(0, FrameOpen{patient, plan.hash, milliseconds(500)});
  home.hear(2, FrameOpen{hasty, plan.hash, milliseconds(100)});
  for (const FrameKey& key : {patient, hasty}) {
    for (const StripId id : plan.routes.from_frame)
      home.hear(key.owner.value, promised_strip(plan, key, id), plan.routes.strips[id.value].bytes);
  }
  home.give(TileComputed{patient, TileId{0}, 0, Place::home, milliseconds(1)});
  const auto orders = home.all<Compute>();
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].key == hasty);
}

}  // namespace shingle
