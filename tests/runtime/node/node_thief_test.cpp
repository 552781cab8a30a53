// A thief on the bench: whom it asks and when, what it computes, and what goes back.
#include <doctest/doctest.h>

#include "steal_bench.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;

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
  thief.bench.give(PlanLoaded{{}, Error{"nobody asked"}});  // ignored
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
  const std::vector<LentPart> inputs = thief.inputs(tile);
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
  const std::vector<LentPart> inputs = thief.inputs(TileId{1});
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
  thief.computed(TileId{1}, 0, Place::lent, Error{"no memory"});
  CHECK(thief.bench.said<Failed>(2).size() == 1);
  CHECK(thief.bench.said<Piece>(2).empty());
}

// Node 1 has asked node 2 for a tile; meanwhile its only slot is at one that it audits.
struct AuditingThief : StealBench {
  AuditingThief() : StealBench(2) {
    bench.envelope().ready_tiles = 3;
    bench.hear(2, Beat{});
    REQUIRE(bench.said<StealRequest>(2).size() == 1);
    bench.hear(2, AuditRequest{Assign{key, plan.hash, TileId{1}, 0, true}});
    bench.hear(2, piece(Piece::Role::audit_input, TileId{1}, 0), inputs(TileId{1})[0].bytes);
    REQUIRE(bench.all<Compute>().size() == 1);
    bench.give(TileBegun{key, TileId{1}, Place::lent});
  }
  void lend() { bench.hear(2, StealReply{Assign{key, plan.hash, TileId{2}, 0}}); }
  // Waits until that tile hangs. Returns what is given back to node 2.
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
