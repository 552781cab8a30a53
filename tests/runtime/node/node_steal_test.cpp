// A victim on the bench: what it tells, what it lends, and what comes back.
#include <doctest/doctest.h>

#include "steal_bench.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;

TEST_CASE("tiles that pile up are told to the peers once, with a beat") {
  StealBench victim(1);
  victim.bench.hear(0, FrameOpen{victim.key, victim.plan.hash, std::chrono::seconds(1)});
  size_t beats = 0;
  for (const StripId id : victim.plan.routes.from_frame) {
    victim.bench.hear(0, victim.piece(Piece::Role::promised, {}, id.value),
                      victim.plan.routes.strips[id.value].bytes);
    beats += victim.bench.said<Beat>(2).size();
  }
  CHECK(beats == 1);
}

TEST_CASE("the victim lends the tile that it would run last, with its windows") {
  StealBench victim(1);
  victim.open_and_fill();
  victim.bench.hear(2, victim.request());
  const std::vector<StealReply> replies = victim.bench.said<StealReply>(2);
  REQUIRE(replies.size() == 1);
  REQUIRE(replies[0].lent.has_value());
  CHECK(replies[0].lent->tile == TileId{3});  // of tiles 0 (running), 1, 2, 3
  CHECK(victim.bench.said<Piece>(2).size() == victim.inputs(TileId{3}).size());
}

// A convolution, and a pool, which has no MACs.
Model pooled_model() {
  Model model;
  const TensorId image = add_input(model, "image", {16, 16, 1});
  const Window same{.kernel = 3, .stride = 1, .dilation = 1, .pad_begin = 1, .pad_end = 1};
  const ConstantId weights = add_constant(model, std::vector<float>(9 * 2, 1.0F));
  const TensorId sums = add_layer(
      model, "conv", Convolution{.y = same, .x = same, .groups = 1, .weights = weights, .bias = {}},
      {image});
  add_output(model, "output", add_layer(model, "pool", Pooling{.y = same, .x = same}, {sums}));
  model.hash = structural_hash(model);
  return model;
}

TEST_CASE("a tile without MACs is not lent as if its time were unknown") {
  StealBench victim(1, pooled_model());
  REQUIRE(tile(victim.plan.plan, TileId{7}).macs == 0);
  victim.open_and_fill();
  for (uint32_t id = 0; id < 4; ++id) victim.computed(TileId{id});  // then 4 runs, 5 to 7 wait
  victim.bench.hear(2, victim.request());
  const std::vector<StealReply> replies = victim.bench.said<StealReply>(2);
  REQUIRE(replies.size() == 1);
  CHECK(!replies[0].lent.has_value());
}

TEST_CASE("returned outputs finish the tile as if it had been computed here") {
  StealBench victim(1);
  victim.open_and_fill();
  victim.bench.hear(2, victim.request());
  victim.return_outputs(TileId{3}, 0);
  CHECK(victim.bench.all<Paste>().size() == 1);
  const std::vector<Done> done = victim.bench.said<Done>(0);
  REQUIRE(done.size() == 1);
  CHECK(done[0].tile == TileId{3});
  CHECK(done[0].computed_by == NodeId{2});
}

TEST_CASE("outputs that come before their inputs have left are refused, and the tile comes back") {
  // Given a loan whose windows exceed what may be under way on the thief's wire
  StealBench victim(1, 300);
  victim.open_and_fill();
  victim.bench.hear(2, victim.request());
  REQUIRE(victim.bench.said<StealReply>(2).at(0).lent.has_value());
  const TileId lent = victim.bench.said<StealReply>(2)[0].lent->tile;
  size_t sent = 0;
  uint64_t sent_bytes = 0;
  const auto note = [&] {
    for (const Piece& piece : victim.bench.said<Piece>(2)) {
      ++sent;
      sent_bytes += static_cast<uint64_t>(victim.inputs(lent)[piece.index].bytes);
    }
  };
  note();
  REQUIRE(sent < victim.inputs(lent).size());
  // When the thief returns the tile all the same
  victim.return_outputs(lent, 0);
  // Then it is not believed, and gets the rest of the windows as it takes them in
  CHECK(victim.bench.refused() == victim.outputs(lent).size());
  for (int i = 0; i < 50; ++i) {
    Envelope envelope = victim.bench.envelope();
    envelope.from = NodeId{2};
    envelope.life = 1;
    envelope.pasted_bytes = sent_bytes;
    victim.bench.wait(milliseconds(5));
    victim.bench.give(MessageReceived{envelope, Beat{}, 0});
    note();
  }
  CHECK(sent == victim.inputs(lent).size());
  CHECK(victim.bench.said<Done>(0).empty());
}

TEST_CASE("a tile that a thief failed at comes back under the next attempt and stays") {
  StealBench victim(1);
  victim.open_and_fill();
  victim.bench.hear(2, victim.request());
  victim.bench.hear(2, Failed{Failed::Kind::given_back, victim.key, TileId{3}, 0, "no memory"});
  victim.return_outputs(TileId{3}, 0);  // late, of the old attempt
  CHECK(victim.bench.said<Done>(0).empty());

  victim.bench.hear(2, victim.request());
  REQUIRE(victim.bench.said<StealReply>(2).at(0).lent.has_value());
  CHECK(victim.bench.said<StealReply>(2)[0].lent->tile == TileId{2});  // not tile 3 again

  victim.computed(TileId{0});
  victim.computed(TileId{1});
  const std::vector<Compute> computes = victim.bench.all<Compute>();
  REQUIRE(computes.size() == 1);
  CHECK(computes[0].tile == TileId{3});
  CHECK(computes[0].attempt == 1);
}

TEST_CASE("a lost thief's tile goes back into the queue") {
  StealBench victim(1);
  victim.open_and_fill();
  victim.bench.hear(2, victim.request());
  victim.bench.give(PeerLost{NodeId{2}, "gone"});
  for (uint32_t id = 0; id < 3; ++id) victim.computed(TileId{id});
  const std::vector<Compute> computes = victim.bench.all<Compute>();
  REQUIRE(computes.size() == 1);
  CHECK(computes[0].tile == TileId{3});
  CHECK(computes[0].attempt == 1);
}

TEST_CASE("a late thief's tile is computed at home as soon as that has nothing else to do") {
  StealBench victim(1, 24, WeightPlaces::everywhere, 6);
  victim.open_and_fill();
  victim.computed(TileId{0});  // now it is known what a tile takes
  victim.bench.hear(2, victim.request());
  REQUIRE(victim.bench.said<StealReply>(2).at(0).lent.has_value());
  const TileId lent = victim.bench.said<StealReply>(2)[0].lent->tile;
  REQUIRE(lent == TileId{5});
  victim.bench.wait(milliseconds(100));
  // Not while tiles of its own are ready: the rest of the first block, what of the second needs it
  for (const uint32_t id : {1U, 2U, 3U, 4U, 6U, 7U, 8U}) {
    victim.computed(TileId{id});
    REQUIRE(victim.bench.all<Compute>().size() == 1);
    CHECK(victim.bench.all<Compute>()[0].tile != lent);
  }
  victim.computed(TileId{9});
  REQUIRE(victim.bench.all<Compute>().size() == 1);
  CHECK(victim.bench.all<Compute>()[0].tile == lent);
  CHECK(victim.bench.all<Compute>()[0].attempt == 1);
  CHECK(victim.bench.node().counters().tiles_hedged == 1);
  CHECK(victim.bench.said<Failed>(2).size() == 1);  // the thief need not go on
  victim.return_outputs(lent, 0);
  CHECK(victim.bench.said<Done>(0).empty());
}

TEST_CASE("a thief of a tile about whose time nothing is known is late after the time of a first") {
  StealBench victim(1, 24, WeightPlaces::everywhere, 6);
  victim.open_and_fill();
  victim.bench.hear(2, victim.request());
  REQUIRE(victim.bench.said<StealReply>(2).at(0).lent.has_value());
  const TileId lent = victim.bench.said<StealReply>(2)[0].lent->tile;
  REQUIRE(lent == TileId{5});
  // Given a home that has nothing else to do
  for (const uint32_t id : {0U, 1U, 2U, 3U, 4U, 6U, 7U, 8U, 9U}) victim.computed(TileId{id});
  int tenths = 0;
  for (; victim.bench.node().counters().tiles_hedged == 0 && tenths < 7'000; ++tenths) {
    victim.bench.wait(milliseconds(100));
    for (const uint32_t peer : {0U, 2U}) victim.bench.hear(peer, Beat{});
  }
  CHECK(tenths == 6'000);
}

TEST_CASE("a thief that is not late yet is waited for") {
  StealBench victim(1, 24, WeightPlaces::everywhere, 6);
  victim.open_and_fill();
  victim.computed(TileId{0});
  victim.bench.hear(2, victim.request());
  victim.bench.wait(milliseconds(99));
  for (const uint32_t id : {1U, 2U, 3U, 4U, 6U, 7U, 8U, 9U}) victim.computed(TileId{id});
  CHECK(victim.bench.all<Compute>().empty());
  victim.return_outputs(TileId{5}, 0);
  CHECK(victim.bench.said<Done>(0).size() == 1);
}

TEST_CASE("a home whose weights have changed does not take a late loan back, and uses what comes") {
  StealBench victim(1, 24, WeightPlaces::everywhere, 6);
  victim.open_and_fill();
  victim.computed(TileId{0});
  victim.bench.hear(2, victim.request());
  for (const uint32_t id : {1U, 2U, 3U, 4U, 6U, 7U, 8U, 9U}) victim.computed(TileId{id});
  victim.bench.give(WeightsDamaged{"a bit"});
  victim.bench.wait(milliseconds(100));
  victim.bench.give(Woken{});
  CHECK(victim.bench.said<Failed>(2).empty());
  CHECK(victim.bench.node().counters().tiles_hedged == 0);
  victim.return_outputs(TileId{5}, 0);
  CHECK(victim.bench.said<Done>(0).size() == 1);
}

TEST_CASE("what an earlier attempt brings is not taken for the later one's") {
  StealBench victim(1);
  victim.open_and_fill();
  victim.bench.hear(2, victim.request());
  victim.bench.give(PeerLost{NodeId{2}, "gone"});
  victim.bench.join(2, 1, "", 2);
  victim.bench.hear(2, victim.request());
  REQUIRE(victim.bench.said<StealReply>(2).at(0).lent.has_value());
  CHECK(victim.bench.said<StealReply>(2)[0].lent->attempt == 1);
  victim.return_outputs(TileId{3}, 0);
  CHECK(victim.bench.said<Done>(0).empty());
  victim.return_outputs(TileId{3}, 1);
  CHECK(victim.bench.said<Done>(0).size() == 1);
}

TEST_CASE("nothing is lent to a node that lacks the plan") {
  StealBench victim(1);
  victim.open_and_fill();
  victim.bench.hear(2, StealRequest{});
  REQUIRE(victim.bench.said<StealReply>(2).size() == 1);
  CHECK_FALSE(victim.bench.said<StealReply>(2)[0].lent.has_value());
}

TEST_CASE("where weights stay at home, tiles are lent to homes of the same channels only") {
  StealBench victim(1, 16, WeightPlaces::at_home);
  victim.open_and_fill();
  victim.bench.hear(2, victim.request());
  const std::vector<StealReply> refused = victim.bench.said<StealReply>(2);
  REQUIRE(refused.size() == 1);
  CHECK_FALSE(refused[0].lent.has_value());
}

TEST_CASE("a closed frame's loans are void, and the thief is told") {
  StealBench victim(1);
  victim.open_and_fill();
  victim.bench.hear(2, victim.request());
  victim.bench.hear(0, FrameClosed{victim.key, true});
  CHECK(victim.bench.said<FrameClosed>(2).size() == 1);
}

}  // namespace
}  // namespace shingle
