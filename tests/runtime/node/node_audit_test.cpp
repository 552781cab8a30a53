// Audits on the bench: what a home asks of whom, what a thief tells, and whom an owner blames.
#include <doctest/doctest.h>

#include "audit_bench.hpp"
#include "runtime/node/tiles/node_loan.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Piece lent(Piece::Role role, const FrameKey& key, const LoadedPlan& plan, TileId tile,
           uint32_t index) {
  return {.key = key,
          .plan = prefix64(plan.hash),
          .role = role,
          .tile = tile,
          .attempt = 0,
          .index = index};
}

// Node 1 has all tiles of a frame of node 0; nodes 2, 3 and 4 may audit or borrow them.
struct HomeOfAudits {
  Model model = bench_model();
  LoadedPlan plan = trusted_plan(model, bench_plan(model, {1}, 4));
  NodeBench bench{bench_config(1, 5)};
  FrameKey key{NodeId{0}, 1, 7};

  explicit HomeOfAudits(std::vector<TileAudit> audits) {
    for (const uint32_t peer : {0U, 2U, 3U, 4U}) bench.join(peer);
    bench.hear(0, PlanOffer{plan.hash, model.hash, "text"});
    bench.load(plan);
    bench.hear(0, FrameOpen{key, plan.hash, seconds(1), std::move(audits)});
    for (const StripId id : plan.routes.from_frame)
      bench.hear(0, Piece{key, prefix64(plan.hash), Piece::Role::promised, {}, 0, id.value},
                 plan.routes.strips[id.value].bytes);
  }
  void ask(uint32_t thief) { bench.hear(thief, StealRequest{{prefix64(plan.hash)}}); }
  std::optional<Assign> lent_to(uint32_t thief) {
    const auto replies = bench.said<StealReply>(thief);
    REQUIRE(replies.size() == 1);
    return replies[0].lent;
  }
};

constexpr TileId last{3};  // of the first block: the one that is lent first

TEST_CASE("an audited tile is audited once its home begins it, and not before") {
  HomeOfAudits home({{TileId{1}, NodeId{2}}, {TileId{1}, NodeId{3}}});
  CHECK(home.bench.said<AuditRequest>(2).empty());
  home.bench.give(TileComputed{home.key, TileId{0}, 0, Place::home, milliseconds(1)});
  REQUIRE(home.bench.all<Compute>().size() == 1);
  CHECK(home.bench.all<Compute>()[0].audited);
  CHECK(home.bench.said<AuditRequest>(2).size() == 1);
  CHECK(home.bench.said<AuditRequest>(3).empty());
}

TEST_CASE("an audited tile is lent, and audited by the drawn node that does not borrow it") {
  for (const uint32_t thief : {2U, 3U, 4U}) {
    CAPTURE(thief);
    HomeOfAudits home({{last, NodeId{2}}, {last, NodeId{3}}});
    home.ask(thief);
    const auto assign = home.lent_to(thief);
    REQUIRE(assign.has_value());
    CHECK(assign->tile == last);
    CHECK(assign->audited);
    const uint32_t auditor = thief == 2 ? 3 : 2;
    CHECK(home.bench.said<AuditRequest>(auditor).size() == 1);
    CHECK(home.bench.said<AuditRequest>(thief).empty());
  }
}

TEST_CASE("a tile is not lent to the only node that may audit it") {
  HomeOfAudits home({{last, NodeId{2}}});
  home.ask(2);
  REQUIRE(home.lent_to(2).has_value());
  CHECK(home.lent_to(2)->tile != last);
  home.ask(3);
  REQUIRE(home.lent_to(3).has_value());
  CHECK(home.lent_to(3)->tile == last);
}

TEST_CASE("a tile that comes back from a thief is not lent to the node that audits it") {
  HomeOfAudits home({{last, NodeId{2}}, {last, NodeId{3}}});
  home.ask(4);
  REQUIRE(home.lent_to(4)->tile == last);
  home.bench.give(PeerLost{NodeId{4}, "gone"});
  home.ask(2);
  REQUIRE(home.lent_to(2).has_value());
  CHECK(home.lent_to(2)->tile != last);
  home.ask(3);
  REQUIRE(home.lent_to(3).has_value());
  CHECK(home.lent_to(3)->tile == last);
  CHECK(home.bench.said<AuditRequest>(2).empty());  // it was asked already
}

TEST_CASE("what its thief computed a home reports in the thief's name, without a content") {
  HomeOfAudits home({{last, NodeId{2}}});
  home.ask(3);
  const std::vector<LentPart> outputs = lent_parts(home.plan, tile(home.plan.plan, last).outputs);
  for (uint32_t i = 0; i < outputs.size(); ++i)
    home.bench.hear(3, lent(Piece::Role::lent_output, home.key, home.plan, last, i),
                    outputs[i].bytes);
  const std::vector<Done> done = home.bench.said<Done>(0);
  REQUIRE(done.size() == 1);
  CHECK(done[0].computed_by == NodeId{3});
  CHECK(done[0].content == TileContent{});
}

TEST_CASE("a thief tells the owner the content of an audited tile before it returns it") {
  for (const bool audited : {true, false}) {
    CAPTURE(audited);
    HomeOfAudits thief({});  // node 1 borrows of node 2 here
    const LoadedPlan plan = trusted_plan(thief.model, bench_plan(thief.model, {2}, 4));
    const FrameKey key{NodeId{0}, 1, 9};
    NodeBench bench{bench_config(1, 3)};
    bench.join(0);
    bench.join(2);
    bench.hear(0, PlanOffer{plan.hash, thief.model.hash, "text"});
    bench.load(plan);
    bench.envelope().ready_tiles = 3;
    bench.hear(2, Beat{});
    bench.hear(2, StealReply{Assign{key, plan.hash, TileId{1}, 0, audited}});
    const std::vector<LentPart> inputs = lent_parts(plan, tile(plan.plan, TileId{1}).inputs);
    for (uint32_t i = 0; i < inputs.size(); ++i)
      bench.hear(2, lent(Piece::Role::lent_input, key, plan, TileId{1}, i), inputs[i].bytes);
    REQUIRE(bench.all<Compute>().size() == 1);
    CHECK(bench.all<Compute>()[0].audited == audited);
    bench.give(TileComputed{key, TileId{1}, 0, Place::lent, milliseconds(1), success(), {5, 6}});
    REQUIRE(bench.said<AuditResult>(0).size() == (audited ? 1 : 0));
    if (audited) CHECK(bench.said<AuditResult>(0)[0].content == TileContent{5, 6});
    CHECK_FALSE(bench.said<Piece>(2).empty());
  }
}

TEST_CASE("a tile of a frame whose owner nobody knows is not borrowed") {
  HomeOfAudits thief({});
  NodeBench bench{bench_config(1, 3)};
  const LoadedPlan plan = trusted_plan(thief.model, bench_plan(thief.model, {2}, 4));
  bench.join(0);
  bench.join(2);
  bench.hear(0, PlanOffer{plan.hash, thief.model.hash, "text"});
  bench.load(plan);
  bench.envelope().ready_tiles = 3;
  bench.hear(2, Beat{});
  bench.hear(2, StealReply{Assign{{NodeId{77}, 1, 9}, plan.hash, TileId{1}, 0, true}});
  CHECK(bench.said<Failed>(2).size() == 1);
  CHECK(bench.node().idle());
}

TEST_CASE("two auditors are drawn for a tile, neither of them its home") {
  OwnerOfAudits owner;
  const std::vector<uint32_t> auditors = owner.open();
  REQUIRE(auditors.size() == 2);
  CHECK(auditors[0] != auditors[1]);
  CHECK(auditors[0] > 1);
  CHECK(auditors[1] > 1);
}

TEST_CASE("a thief whose words differ from two others' is blamed, whatever comes first") {
  for (const bool thief_first : {true, false}) {
    CAPTURE(thief_first);
    OwnerOfAudits owner;
    const std::vector<uint32_t> auditors = owner.open();
    const uint32_t thief = owner.third_beside(auditors);
    if (thief_first) owner.result(thief, wrong);
    owner.done(thief);
    if (!thief_first) owner.result(thief, wrong);
    CHECK_FALSE(owner.begun_again());
    owner.result(auditors[0], right);
    CHECK(owner.begun_again());
    CHECK(owner.blamed().empty());
    const std::vector<uint32_t> next = owner.open();
    owner.done(1, right);  // two agree now
    owner.result(next[0], right);
    CHECK(owner.blamed() == std::vector{NodeId{thief}});
  }
}

TEST_CASE("of a tile that a thief computed twice the loan counts that its home has used") {
  for (const bool done_first : {true, false}) {
    CAPTURE(done_first);
    OwnerOfAudits owner;
    const std::vector<uint32_t> auditors = owner.open();
    const uint32_t thief = owner.third_beside(auditors);
    owner.result(auditors[0], right);
    owner.result(thief, right, 0);  // its home had lost it, and lends the tile to it once more
    if (done_first) owner.done(thief, {}, 1);
    CHECK_FALSE(owner.begun_again());
    CHECK(owner.bench.node().counters().tiles_audited == 0);
    owner.result(thief, wrong, 1);
    if (!done_first) owner.done(thief, {}, 1);
    CHECK(owner.begun_again());
  }
}

TEST_CASE(
    "what was computed under another plan than the frame's is refused as a result of an audit") {
  OwnerOfAudits owner;
  const std::vector<uint32_t> auditors = owner.open();
  const LoadedPlan other = trusted_plan(owner.model, bench_plan(owner.model, {1, 2}, 1));
  owner.bench.hear(auditors[0], AuditResult{owner.key, other.hash, TileId{0}, 0, wrong});
  owner.bench.hear(auditors[0], AuditResult{owner.key, owner.plan.hash, TileId{99}, 0, wrong});
  CHECK(owner.bench.refused() == 2);
  owner.done(1, right);
  CHECK_FALSE(owner.begun_again());
  owner.result(auditors[0], right);
  CHECK(owner.bench.node().counters().tiles_audited == 1);
}

TEST_CASE("a home cannot have its thief blamed: neither by other windows nor by its own words") {
  OwnerOfAudits owner;
  for (int attempt = 0; attempt < 3; ++attempt) {
    CAPTURE(attempt);
    const std::vector<uint32_t> auditors = owner.open();
    const uint32_t thief = owner.third_beside(auditors);
    owner.done(thief, wrong);            // a content that only the thief may tell
    owner.result(thief, other_windows);  // from windows that only it was given
    owner.result(auditors[0], right);
    CHECK(owner.begun_again());
    CHECK(owner.blamed().empty());
  }
}

TEST_CASE(
    "a tile whose home and auditor agree is audited, though a thief's windows differed before") {
  OwnerOfAudits owner;
  owner.begin_again_over_windows();
  const std::vector<uint32_t> next = owner.open();
  owner.done(1, right);
  owner.result(next[0], right);
  owner.bench.hear(1, Done{owner.key, TileId{1}, NodeId{1}, 0, milliseconds(1), right});
  for (const uint32_t peer : {2U, 3U, 4U})
    owner.bench.hear(peer, AuditResult{owner.key, owner.plan.hash, TileId{1}, 0, right});
  CHECK(owner.blamed().empty());
  owner.finish();
  CHECK(owner.bench.all<Deliver>().size() == 1);
}

TEST_CASE("an auditor that is there and says nothing holds a frame up for a minute, not for ever") {
  OwnerOfAudits owner;
  owner.open();
  owner.done(1, right);
  owner.finish();
  int beats = 0;
  for (; beats < 1000 && owner.bench.all<Deliver>().empty(); ++beats) {
    owner.bench.wait(milliseconds(100));
    for (const uint32_t peer : {1U, 2U, 3U, 4U}) owner.bench.hear(peer, Beat{});
    owner.bench.give(Woken{});
  }
  CHECK(beats >= 595);
  CHECK(beats <= 605);
  CHECK(owner.bench.node().counters().tiles_audited == 0);
}

TEST_CASE("who was lost after a frame was opened is not waited for as a thief") {
  OwnerOfAudits owner;
  const std::vector<uint32_t> auditors = owner.open();
  const uint32_t thief = owner.third_beside(auditors);
  owner.bench.give(PeerLost{NodeId{thief}, "gone"});
  owner.bench.join(thief, 1, "", 2);  // what it said meanwhile is lost
  owner.done(thief);
  owner.result(auditors[0], right);
  CHECK_FALSE(owner.begun_again());
  CHECK(owner.bench.node().counters().tiles_audited == 0);
  owner.bench.hear(1, Done{owner.key, TileId{1}, NodeId{thief}, 0, milliseconds(1), {}});
  owner.finish();
  CHECK(owner.bench.all<Deliver>().size() == 1);
}

TEST_CASE("who was away when a frame was opened is not waited for as a thief") {
  OwnerOfAudits owner;
  owner.open();
  owner.bench.give(PeerLost{NodeId{4}, "gone"});
  owner.bench.give(FrameCaptured{2, owner.plan.hash, seconds(1)});
  const std::vector<uint32_t> auditors = owner.open();
  owner.bench.join(4, 1, "", 2);  // what it said to others meanwhile did not come here
  owner.done(4);
  owner.result(auditors[0], right);
  owner.result(4, wrong);
  CHECK(owner.bench.node().counters().tiles_audited == 0);
}

TEST_CASE("an auditor that hangs is not waited for") {
  OwnerOfAudits owner;
  const std::vector<uint32_t> auditors = owner.open();
  PlanReady hangs{owner.plan.hash, false, "its executor does not come back"};
  hangs.hangs = true;
  owner.bench.hear(auditors[0], hangs);
  owner.done(1, right);
  owner.result(auditors[1], wrong);
  CHECK(owner.bench.node().counters().tiles_audited == 0);
  CHECK_FALSE(owner.begun_again());
}

TEST_CASE("only the home and those who were drawn can call an audit off") {
  OwnerOfAudits owner;
  const std::vector<uint32_t> auditors = owner.open();
  const uint32_t stranger = owner.third_beside(auditors);
  owner.result(stranger, std::nullopt);
  owner.done(1, right);
  owner.result(auditors[1], right);
  CHECK(owner.bench.node().counters().tiles_audited == 1);
}

TEST_CASE("an audit goes on when somebody is lost who has no part in it") {
  OwnerOfAudits owner;
  const std::vector<uint32_t> auditors = owner.open();
  owner.bench.give(PeerLost{NodeId{owner.third_beside(auditors)}, "gone"});
  owner.done(1, right);
  owner.result(auditors[0], right);
  CHECK(owner.bench.node().counters().tiles_audited == 1);
}

}  // namespace
}  // namespace shingle
