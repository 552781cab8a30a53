// Victim and thief on the bench: who asks when, what is lent, and what comes back.
#include <doctest/doctest.h>

#include "node_bench.hpp"
#include "runtime/node_loan.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;

// Node 1 holds a plan; nodes 0 (the owner) and 2 are its peers.
struct StealBench {
  Model model;
  LoadedPlan plan;
  NodeBench bench{bench_config(1, 3)};
  FrameKey key{NodeId{0}, 1, 7};

  explicit StealBench(uint32_t home, int32_t side = 16,
                      WeightPlaces weights = WeightPlaces::everywhere, int32_t rows = 4)
      : model(bench_model(side)), plan(trusted_plan(model, cut(home, weights, rows))) {
    bench.join(0);
    bench.join(2);
    bench.hear(0, PlanOffer{plan.hash, model.hash, "text"});
    bench.load(plan);
  }
  Plan cut(uint32_t home, WeightPlaces weights, int32_t rows) const {
    Plan made = bench_plan(model, {home}, rows);
    made.weights = weights;
    return made;
  }
  void open_and_fill() {
    bench.hear(0, FrameOpen{key, plan.hash, std::chrono::seconds(1)});
    for (const StripId id : plan.routes.from_frame)
      bench.hear(0, piece(Piece::Role::promised, {}, id.value), plan.routes.strips[id.value].bytes);
  }
  Piece piece(Piece::Role role, TileId tile, uint32_t index, uint32_t attempt = 0) const {
    return {.key = key,
            .plan = prefix64(plan.hash),
            .role = role,
            .tile = tile,
            .attempt = attempt,
            .index = index};
  }
  StealRequest request() const { return {{prefix64(plan.hash)}}; }
  std::vector<Chunk> outputs(TileId id) const {
    return lent_chunks(plan, tile(plan.plan, id).outputs);
  }
  std::vector<Chunk> inputs(TileId id) const {
    return lent_chunks(plan, tile(plan.plan, id).inputs);
  }
  void return_outputs(TileId tile, uint32_t attempt) {
    for (uint32_t i = 0; i < outputs(tile).size(); ++i)
      bench.hear(2, piece(Piece::Role::lent_output, tile, i, attempt), outputs(tile)[i].bytes);
  }
  void computed(TileId tile, uint32_t attempt = 0, Place place = Place::home,
                const std::string& error = "") {
    bench.give(TileComputed{key, tile, attempt, place, milliseconds(1), error});
  }
};

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

TEST_CASE(
    "an idle node asks the peer that tells of a queue, once, and after a refusal not again before "
    "news") {
  StealBench thief(2);
  thief.bench.envelope().ready_tiles = 3;
  thief.bench.hear(2, Beat{});
  CHECK(thief.bench.said<StealRequest>(2).size() == 1);
  thief.bench.hear(2, Beat{});
  CHECK(thief.bench.said<StealRequest>(2).empty());  // one is on its way
  thief.bench.hear(2, StealReply{});
  CHECK(thief.bench.said<StealRequest>(2).empty());
  thief.bench.hear(2, PlanReady{thief.plan.hash, true, {}});  // no news of its queue
  CHECK(thief.bench.said<StealRequest>(2).empty());
  thief.bench.envelope().ready_tiles = 4;
  thief.bench.hear(2, PlanReady{thief.plan.hash, true, {}});
  CHECK(thief.bench.said<StealRequest>(2).size() == 1);
}

TEST_CASE(
    "a node whose own tiles wait for pieces asks only once they are later than a tile takes") {
  // Given a home of four tiles, of which it has computed one in a millisecond
  StealBench thief(1);
  thief.bench.hear(0, FrameOpen{thief.key, thief.plan.hash, std::chrono::seconds(1)});
  const auto crop = [&](size_t number) {
    const StripId id = thief.plan.routes.from_frame.at(number);
    thief.bench.hear(0, thief.piece(Piece::Role::promised, {}, id.value),
                     thief.plan.routes.strips[id.value].bytes);
  };
  for (size_t number = 0; thief.bench.all<Compute>().empty(); ++number) crop(number);
  thief.computed(thief.bench.all<Compute>()[0].tile);
  // When a peer tells of a queue
  thief.bench.envelope().ready_tiles = 3;
  thief.bench.hear(2, Beat{});
  // Then it waits, and says when it will look again
  CHECK(thief.bench.said<StealRequest>(2).empty());
  REQUIRE(thief.bench.all<WakeAt>().size() == 1);
  thief.bench.wait(milliseconds(1));
  thief.bench.give(Woken{});
  CHECK(thief.bench.said<StealRequest>(2).size() == 1);
}

TEST_CASE("of two queues the longer is asked") {
  StealBench thief(2);
  thief.bench.give(PlanLoaded{});  // unasked: ignored
  thief.bench.envelope().ready_tiles = 2;
  thief.bench.hear(0, Beat{});
  CHECK(thief.bench.said<StealRequest>(0).size() == 1);
  thief.bench.envelope().ready_tiles = 5;
  thief.bench.hear(2, Beat{});
  thief.bench.envelope().ready_tiles = 2;
  thief.bench.hear(0, StealReply{});
  CHECK(thief.bench.said<StealRequest>(2).size() == 1);
}

TEST_CASE("a borrowed tile runs when each of its windows has come once, and its outputs go back") {
  StealBench thief(2);
  const TileId tile{1};
  thief.bench.envelope().ready_tiles = 3;
  thief.bench.hear(2, Beat{});
  thief.bench.hear(2, StealReply{Assign{thief.key, thief.plan.hash, tile, 4}});
  const std::vector<Chunk> inputs = thief.inputs(tile);
  const Piece first = thief.piece(Piece::Role::lent_input, tile, 0, 4);
  thief.bench.hear(2, first, inputs[0].bytes);
  CHECK(thief.bench.all<Paste>().size() == 1);
  REQUIRE(inputs.size() == 1);
  const std::vector<Compute> computes = thief.bench.all<Compute>();
  REQUIRE(computes.size() == 1);
  CHECK(computes[0].place == Place::lent);

  thief.bench.hear(2, first, inputs[0].bytes);  // a second copy
  CHECK(thief.bench.all<Paste>().empty());

  thief.computed(tile, 4, Place::lent);
  const std::vector<Piece> outputs = thief.bench.said<Piece>(2);
  REQUIRE(outputs.size() == thief.outputs(tile).size());
  CHECK(outputs[0].role == Piece::Role::lent_output);
  CHECK(outputs[0].attempt == 4);
  CHECK(thief.bench.node().counters().tiles_stolen == 1);
  CHECK(thief.bench.node().idle());
}

TEST_CASE("a window of many pieces is complete when each has come, not one of them often") {
  StealBench thief(2, 300);
  thief.bench.envelope().ready_tiles = 3;
  thief.bench.hear(2, Beat{});
  thief.bench.hear(2, StealReply{Assign{thief.key, thief.plan.hash, TileId{1}, 0}});
  const std::vector<Chunk> inputs = thief.inputs(TileId{1});
  REQUIRE(inputs.size() > 1);
  for (size_t copies = 0; copies < inputs.size(); ++copies) {
    thief.bench.hear(2, thief.piece(Piece::Role::lent_input, TileId{1}, 0), inputs[0].bytes);
    CHECK(thief.bench.all<Compute>().empty());
  }
  for (uint32_t i = 1; i < inputs.size(); ++i)
    thief.bench.hear(2, thief.piece(Piece::Role::lent_input, TileId{1}, i), inputs[i].bytes);
  CHECK(thief.bench.all<Compute>().size() == 1);
}

TEST_CASE("a thief that cannot compute a tile says so to its victim") {
  StealBench thief(2);
  thief.bench.envelope().ready_tiles = 3;
  thief.bench.hear(2, Beat{});
  thief.bench.hear(2, StealReply{Assign{thief.key, thief.plan.hash, TileId{1}, 0}});
  thief.bench.hear(2, thief.piece(Piece::Role::lent_input, TileId{1}, 0),
                   thief.inputs(TileId{1})[0].bytes);
  thief.computed(TileId{1}, 0, Place::lent, "no memory");
  CHECK(thief.bench.said<Failed>(2).size() == 1);
  CHECK(thief.bench.said<Piece>(2).empty());
}

// Node 1 has asked node 2 for a tile; meanwhile its only slot is at one that it audits.
struct AuditingThief : StealBench {
  AuditingThief() : StealBench(2) {
    bench.envelope().ready_tiles = 3;
    bench.hear(2, Beat{});
    REQUIRE(bench.said<StealRequest>(2).size() == 1);
    bench.hear(2, Recheck{Assign{key, plan.hash, TileId{1}, 0, true}});
    bench.hear(2, piece(Piece::Role::audit_input, TileId{1}, 0), inputs(TileId{1})[0].bytes);
    REQUIRE(bench.all<Compute>().size() == 1);
    bench.give(TileBegun{key, TileId{1}, Place::lent});
  }
  void lend() { bench.hear(2, StealReply{Assign{key, plan.hash, TileId{2}, 0}}); }
  // Until that tile hangs; what comes back to node 2.
  std::vector<Failed> hang() {
    std::vector<Failed> returned;
    for (int beat = 0; beat < 6'100; ++beat) {
      bench.wait(milliseconds(100));
      for (const uint32_t peer : {0U, 2U}) bench.hear(peer, Beat{});
      bench.give(Woken{});
      for (const Failed& failed : bench.said<Failed>(2)) returned.push_back(failed);
    }
    return returned;
  }
};

TEST_CASE("what waits at a thief behind a tile that hangs goes back to its victim") {
  AuditingThief thief;
  thief.lend();
  const std::vector<Failed> returned = thief.hang();
  REQUIRE(returned.size() == 1);
  CHECK(returned[0].kind == Failed::Kind::given_back);
  CHECK(returned[0].tile == TileId{2});
  thief.computed(TileId{1}, 0, Place::lent);
  CHECK(thief.bench.node().idle());
}

TEST_CASE("a thief whose executor hangs borrows nothing, until it has come back") {
  AuditingThief thief;
  CHECK(thief.hang().empty());
  thief.lend();  // what it had asked for
  CHECK(thief.bench.said<Failed>(2).size() == 1);
  thief.computed(TileId{1}, 0, Place::lent);
  CHECK(thief.bench.said<StealRequest>(2).size() == 1);
}

TEST_CASE("a tile that its victim took back is forgotten, other attempts at it are not") {
  StealBench thief(2);
  thief.bench.envelope().ready_tiles = 3;
  thief.bench.hear(2, Beat{});
  thief.bench.hear(2, StealReply{Assign{thief.key, thief.plan.hash, TileId{1}, 1}});
  thief.bench.hear(2, Failed{Failed::Kind::voided, thief.key, TileId{1}, 0, "it was late"});
  CHECK_FALSE(thief.bench.node().idle());
  thief.bench.hear(2, Failed{Failed::Kind::voided, thief.key, TileId{1}, 1,
                             "it was late"});  // its windows never come
  CHECK(thief.bench.node().idle());
  CHECK(thief.bench.all<Release>().size() == 2);
}

TEST_CASE("what was borrowed of a lost victim is forgotten, also while it runs") {
  StealBench thief(2);
  thief.bench.envelope().ready_tiles = 3;
  thief.bench.hear(2, Beat{});
  thief.bench.hear(2, StealReply{Assign{thief.key, thief.plan.hash, TileId{1}, 0}});
  thief.bench.hear(2, thief.piece(Piece::Role::lent_input, TileId{1}, 0),
                   thief.inputs(TileId{1})[0].bytes);
  thief.bench.give(PeerLost{NodeId{2}, "gone"});
  CHECK_FALSE(thief.bench.node().idle());
  thief.computed(TileId{1}, 0, Place::lent);
  CHECK(thief.bench.node().idle());
  CHECK(thief.bench.all<Release>().size() == 2);
}

}  // namespace
}  // namespace shingle
