// Edge cases of the rules for thieves and auditors.
#include <doctest/doctest.h>

#include "edges_bench.hpp"
#include "runtime/node/tiles/node_loan.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Node 2 has all tiles of frames of node 0; node 1 borrows and audits them.
struct Thief {
  Model model = bench_model();
  LoadedPlan plan = trusted_plan(model, bench_plan(model, {2}, 4));
  NodeBench bench;
  FrameKey key{NodeId{0}, 1, 9};

  explicit Thief(const NodeLimits& limits = {}) : bench(config_of(1, 4, limits)) {
    for (const uint32_t peer : {0U, 2U, 3U}) bench.join(peer);
    bench.hear(0, PlanOffer{plan.hash, model.hash, "text"});
    bench.load(plan);
  }
  Assign assign(TileId tile, uint32_t attempt = 0) const {
    return {key, plan.hash, tile, attempt, false};
  }
  // Until it computes.
  Compute lend(TileId tile, uint32_t attempt = 0) {
    bench.envelope().ready_tiles = 3;
    bench.hear(2, Beat{});
    bench.hear(2, StealReply{assign(tile, attempt)});
    give_inputs(tile, attempt, Piece::Role::lent_input);
    REQUIRE(bench.all<Compute>().size() == 1);
    return bench.all<Compute>()[0];
  }
  void give_inputs(TileId id, uint32_t attempt, Piece::Role role) {
    const std::vector<LentPart> inputs = lent_parts(plan, tile(plan.plan, id).inputs);
    for (uint32_t i = 0; i < inputs.size(); ++i)
      bench.hear(2, Piece{key, prefix64(plan.hash), role, id, attempt, i}, inputs[i].bytes);
  }
  void computed(TileId tile, Duration time, uint32_t attempt = 0) {
    bench.give(TileComputed{key, tile, attempt, Place::lent, time});
  }
  uint32_t speed_told() const {
    REQUIRE_FALSE(bench.all<Send>().empty());
    return bench.all<Send>()[0].envelope.picoseconds_per_mac;
  }
};

TEST_CASE("a lent tile is computed as the attempt as which it was lent") {
  Thief thief;
  CHECK(thief.lend(TileId{1}, 3).attempt == 3);
}

TEST_CASE("what a lent tile takes is measured, and one that takes very long counts as eight") {
  Thief thief;
  thief.lend(TileId{1});
  thief.computed(TileId{1}, milliseconds(1));
  const uint32_t usual = thief.speed_told();
  CHECK(usual > 0);
  thief.lend(TileId{2});
  thief.computed(TileId{2}, seconds(1));
  CHECK(thief.speed_told() == doctest::Approx(usual * (7.0 + 8.0) / 8.0).epsilon(0.01));
}

TEST_CASE("a thief whose executor hangs gives the tile back, and returns nothing of it later") {
  Thief thief({.packing_allowed = seconds(1)});
  thief.lend(TileId{1});
  const auto back = [&] { return !thief.bench.said<Failed>(2).empty(); };
  REQUIRE(tenths(thief.bench, 20, {0, 2, 3}, back) <= 20);
  thief.computed(TileId{1}, seconds(2));
  CHECK(thief.bench.said<Piece>(2).empty());
}

TEST_CASE("a tile that its victim took back and that then fails is not given back to it") {
  Thief thief;
  thief.lend(TileId{1});
  thief.bench.hear(2, Failed{Failed::Kind::voided, thief.key, TileId{1}, 0, "it was late"});
  thief.bench.give(
      TileComputed{thief.key, TileId{1}, 0, Place::lent, milliseconds(1), Error{"no memory"}});
  CHECK(thief.bench.said<Failed>(2).empty());
}

TEST_CASE("windows of another attempt, or of an audit, are not pasted into a loan") {
  Thief thief;
  thief.bench.envelope().ready_tiles = 3;
  thief.bench.hear(2, Beat{});
  thief.bench.hear(2, StealReply{thief.assign(TileId{1}, 3)});
  thief.give_inputs(TileId{1}, 2, Piece::Role::lent_input);
  CHECK(thief.bench.all<Paste>().empty());
  thief.give_inputs(TileId{1}, 3, Piece::Role::audit_input);
  CHECK(thief.bench.all<Paste>().empty());
  thief.give_inputs(TileId{1}, 3, Piece::Role::lent_input);
  CHECK(thief.bench.all<Paste>().size() == 1);
  CHECK(thief.bench.node().counters().payload_bytes_received > 0);
}

TEST_CASE("who may not steal asks nobody") {
  Thief thief({.steals = false});
  thief.bench.envelope().ready_tiles = 3;
  thief.bench.hear(2, Beat{});
  CHECK(thief.bench.said<StealRequest>(2).empty());
}

TEST_CASE("who holds no plan asks nobody for tiles") {
  NodeBench bench(bench_config(1, 3));
  bench.join(2);
  bench.envelope().ready_tiles = 3;
  bench.hear(2, Beat{});
  CHECK(bench.said<StealRequest>(2).empty());
}

TEST_CASE("a frame that is closed keeps nobody from borrowing") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1, 2}));
  NodeBench bench(config_of(1, 3, {.compute_slots = 2}));
  for (const uint32_t peer : {0U, 2U}) bench.join(peer);
  bench.hear(0, PlanOffer{plan.hash, model.hash, "text"});
  bench.load(plan);
  const FrameKey key{NodeId{0}, 1, 7};
  begin_frame(bench, plan, key);
  REQUIRE(bench.all<Compute>().size() == 1);
  bench.hear(0, FrameClosed{key, true});
  bench.envelope().ready_tiles = 3;
  bench.hear(2, Beat{});
  CHECK(bench.said<StealRequest>(2).size() == 1);
}

TEST_CASE("a tile is audited for its home alone, and once") {
  Thief auditor;
  const auto declined = [&](uint32_t by) {
    auditor.bench.hear(by, AuditRequest{auditor.assign(TileId{1})});
    return auditor.bench.said<AuditResult>(0).size() == 1;
  };
  CHECK(declined(3));
  CHECK_FALSE(declined(2));
  CHECK(declined(2));
}

TEST_CASE("an auditor that loses the tile's home tells the owner that it has no opinion") {
  Thief auditor;
  auditor.bench.hear(2, AuditRequest{auditor.assign(TileId{1})});
  auditor.bench.give(PeerLost{NodeId{2}, "gone"});
  REQUIRE(auditor.bench.said<AuditResult>(0).size() == 1);
  CHECK_FALSE(auditor.bench.said<AuditResult>(0)[0].content.has_value());
}

TEST_CASE("an auditor takes on what it may keep, and nothing while its weights are damaged") {
  const int64_t one = moved_bytes(Thief().plan, tile(Thief().plan.plan, TileId{1}));
  Thief auditor({.audit_bytes = one + one / 2});
  const auto declined = [&](TileId tile) {
    auditor.bench.hear(2, AuditRequest{auditor.assign(tile)});
    return auditor.bench.said<AuditResult>(0).size() == 1;
  };
  CHECK_FALSE(declined(TileId{1}));
  CHECK(declined(TileId{2}));
  Thief damaged;
  damaged.bench.give(WeightsDamaged{"a bit flipped"});
  damaged.bench.hear(2, AuditRequest{damaged.assign(TileId{1})});
  CHECK(damaged.bench.said<AuditResult>(0).size() == 1);
}

TEST_CASE("who refused tiles of a plan that was not here yet is asked again once it is") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {2}, 4));
  NodeBench bench(bench_config(1, 3));
  for (const uint32_t peer : {0U, 2U}) bench.join(peer);
  bench.hear(0, PlanOffer{plan.hash, model.hash, "text"});
  bench.envelope().ready_tiles = 3;
  bench.hear(2, Beat{});
  CHECK(bench.said<StealRequest>(2).size() == 1);
  bench.hear(2, StealReply{});
  CHECK(bench.said<StealRequest>(2).empty());
  bench.load(plan);
  CHECK(bench.said<StealRequest>(2).size() == 1);
  CHECK(bench.node().counters().steal_requests == 2);
}

// The upper half of what its layers make of an image is padding.
TEST_CASE("a tile whose windows lie in padding is computed at once, for a loan and for an audit") {
  Model model;
  const TensorId image = add_input(model, "image", {8, 8, 1});
  const Window down{.kernel = 1, .stride = 1, .dilation = 1, .pad_begin = 8, .pad_end = 0};
  const Window same{.kernel = 1, .stride = 1, .dilation = 1, .pad_begin = 0, .pad_end = 0};
  const auto layer = [&](TensorId input, const Window& y) {
    const ConstantId weights = add_constant(model, {1.0F});
    return add_layer(model, "conv",
                     Convolution{.y = y, .x = same, .groups = 1, .weights = weights, .bias = {}},
                     {input});
  };
  add_output(model, "output", layer(layer(image, down), same));
  model.hash = structural_hash(model);
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {2}));
  REQUIRE(lent_parts(plan, tile(plan.plan, TileId{0}).inputs).empty());
  const Assign assign{{NodeId{0}, 1, 9}, plan.hash, TileId{0}, 0, false};
  for (const bool audit : {true, false}) {
    CAPTURE(audit);
    NodeBench bench(bench_config(1, 3));
    for (const uint32_t peer : {0U, 2U}) bench.join(peer);
    bench.hear(0, PlanOffer{plan.hash, model.hash, "text"});
    bench.load(plan);
    bench.envelope().ready_tiles = 3;
    bench.hear(2, Beat{});
    if (audit)
      bench.hear(2, AuditRequest{assign});
    else
      bench.hear(2, StealReply{assign});
    REQUIRE(bench.all<Compute>().size() == 1);
    CHECK(bench.all<Compute>()[0].audited == audit);
  }
}

TEST_CASE("what is borrowed of one peer goes on when another is lost, and so does an audit") {
  Thief thief;
  thief.lend(TileId{1});
  thief.bench.hear(2, AuditRequest{thief.assign(TileId{2})});
  thief.bench.give(PeerLost{NodeId{3}, "gone"});
  CHECK(thief.bench.said<Failed>(2).empty());
  CHECK(thief.bench.said<AuditResult>(0).empty());
  thief.computed(TileId{1}, milliseconds(1));
  CHECK_FALSE(thief.bench.said<Piece>(2).empty());
}

}  // namespace
}  // namespace shingle
