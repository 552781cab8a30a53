// Edge cases of the rules by which an owner has tiles audited.
#include <doctest/doctest.h>

#include "audit_bench.hpp"
#include "edges_bench.hpp"
#include "runtime/node/tiles/node_loan.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("the two auditors of a tile are never the same node") {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    OwnerOfAudits owner(1.0, seed);
    const std::vector<uint32_t> auditors = owner.open();
    REQUIRE(auditors.size() == 2);
    CHECK(auditors[0] != auditors[1]);
  }
}

TEST_CASE("a disputed tile is audited again, whatever share of the tiles is") {
  int disputes = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    OwnerOfAudits owner(0.5, seed);
    const std::vector<uint32_t> auditors = owner.open();
    if (auditors.empty()) continue;
    owner.done(1, right);
    owner.result(auditors[0], wrong);
    REQUIRE(owner.begun_again());
    CHECK(owner.open().size() == 2);
    ++disputes;
  }
  CHECK(disputes > 5);
}

TEST_CASE("a thief that was lost in an earlier attempt is waited for in the next") {
  OwnerOfAudits owner;
  const std::vector<uint32_t> auditors = owner.open();
  const uint32_t thief = owner.third_beside(auditors);
  owner.bench.give(PeerLost{NodeId{thief}, "gone"});
  owner.bench.join(thief, 1, "", 2);
  owner.done(1, right);
  owner.result(auditors[0], wrong);
  REQUIRE(owner.begun_again());
  const std::vector<uint32_t> next = owner.open();
  owner.done(thief);
  for (const uint32_t auditor : next)
    if (auditor != thief) owner.result(auditor, right);
  owner.result(thief, right);
  CHECK(owner.bench.node().counters().tiles_audited == 2);
}

TEST_CASE("of two who agree on the same windows a third with others does not take the word") {
  OwnerOfAudits owner;
  owner.begin_again_over_windows();
  const std::vector<uint32_t> next = owner.open();
  owner.done(1, right);
  owner.result(next[0], other_windows);
  CHECK(owner.bench.node().counters().tiles_disputed == 2);
  CHECK_FALSE(owner.begun_again());
}

TEST_CASE("what a thief says of an earlier attempt takes nothing from what it said of the later") {
  OwnerOfAudits owner;
  const std::vector<uint32_t> auditors = owner.open();
  const uint32_t thief = owner.third_beside(auditors);
  owner.result(thief, right, 1);
  owner.result(thief, wrong, 0);
  owner.done(thief, {}, 1);
  owner.result(auditors[0], right);
  CHECK(owner.bench.node().counters().tiles_audited == 1);
  CHECK_FALSE(owner.begun_again());
}

TEST_CASE("all that is under way is begun again without whoever is trusted no more") {
  OwnerOfAudits owner;
  PlanHash unread;
  unread.bytes[0] = 7;
  const std::vector<uint32_t> auditors = owner.open();
  owner.bench.give(FrameCaptured{2, owner.plan.hash, seconds(1)});
  owner.bench.hear(1, Grant{{NodeId{0}, 1, 2}});
  owner.bench.give(PlanProposed{unread, owner.model.hash, "text"});  // not loaded as yet
  owner.done(1, right);
  owner.result(auditors[0], wrong);
  REQUIRE(owner.begun_again());
  const std::vector<uint32_t> next = owner.open();
  owner.done(1, right);
  owner.result(next[0], right);
  CHECK(owner.blamed() == std::vector{NodeId{auditors[0]}});
  CHECK(owner.bench.reports(Report::Kind::frame_reissued).size() == 2);
}

TEST_CASE("the minute that auditors have begins anew with each attempt") {
  OwnerOfAudits owner;
  const std::vector<uint32_t> auditors = owner.open();
  owner.done(1, right);
  owner.finish();
  owner.result(auditors[0], wrong);
  REQUIRE(owner.begun_again());
  owner.open();
  owner.done(1, right);
  CHECK(tenths(owner.bench, 620, {1, 2, 3, 4}, [&] { return owner.begun_again(); }) == 621);
  owner.finish();
  CHECK(owner.bench.all<Deliver>().empty());
}

TEST_CASE("an owner that computed wrongly itself audits nothing more, whatever is proposed again") {
  OwnerOfAudits owner(1.0, 0, 1);
  const auto not_self = [&](const std::vector<uint32_t>& auditors) {
    return auditors[0] == 0 ? auditors[1] : auditors[0];
  };
  const uint32_t auditor = not_self(owner.open());
  owner.bench.envelope().ready_tiles = 3;
  owner.bench.hear(1, Beat{});
  owner.bench.hear(1, StealReply{Assign{owner.key, owner.plan.hash, TileId{0}, 0, true}});
  owner.bench.envelope().ready_tiles = 0;
  const std::vector<LentPart> inputs =
      lent_parts(owner.plan, tile(owner.plan.plan, TileId{0}).inputs);
  for (uint32_t i = 0; i < inputs.size(); ++i)
    owner.bench.hear(
        1, Piece{owner.key, prefix64(owner.plan.hash), Piece::Role::lent_input, TileId{0}, 0, i},
        inputs[i].bytes);
  REQUIRE(owner.bench.all<Compute>().size() == 1);
  owner.bench.give(
      TileComputed{owner.key, TileId{0}, 0, Place::lent, milliseconds(1), success(), wrong});
  owner.done(0);
  owner.result(auditor, right);
  REQUIRE(owner.begun_again());
  const std::vector<uint32_t> next = owner.open();
  owner.done(1, right);
  owner.result(not_self(next), right);
  REQUIRE(owner.blamed() == std::vector{NodeId{0}});
  owner.bench.hear(
      1, Failed{Failed::Kind::at_home, owner.bench.said<FrameOpen>(1)[0].key, {}, 0, "no memory"});
  owner.bench.give(PlanProposed{owner.plan.hash, owner.model.hash, "text"});
  for (const uint32_t peer : {2U, 3U, 4U})
    owner.bench.hear(peer, PlanReady{owner.plan.hash, true, {}});
  owner.bench.hear(1, PlanReady{owner.plan.hash, true, {}});
  for (const uint32_t each : owner.open()) CHECK(each != 0);
}

TEST_CASE("an audit that the tile's home calls off is over, whatever its auditors say later") {
  OwnerOfAudits owner;
  const std::vector<uint32_t> auditors = owner.open();
  owner.result(1, std::nullopt);
  owner.done(1, right);
  owner.result(auditors[0], wrong);
  CHECK_FALSE(owner.begun_again());
  CHECK(owner.bench.node().counters().tiles_audited == 0);
}

TEST_CASE("a frame of which audits alone are missing is not held against its home") {
  OwnerOfAudits owner(1.0, 0, 0, seconds(1));
  owner.open();
  owner.done(1, right);
  owner.finish();
  CHECK(tenths(owner.bench, 40, {1, 2, 3, 4}, [&] { return owner.begun_again(); }) == 41);
}

}  // namespace
}  // namespace shingle
