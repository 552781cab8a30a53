// Edge cases of the rules for homes.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "edges_bench.hpp"
#include "runtime/node/tiles/node_loan.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Node 1 has all tiles of frames of node 0.
struct Home {
  Model model;
  LoadedPlan plan = trusted_plan(model, bench_plan(model, {1}, 4));
  NodeBench bench;
  FrameKey key{NodeId{0}, 1, 7};

  explicit Home(const NodeLimits& limits = {}, int32_t side = 16)
      : model(bench_model(side)), bench(config_of(1, 4, limits)) {
    for (const uint32_t peer : {0U, 2U, 3U}) bench.join(peer);
    bench.hear(0, PlanOffer{plan.hash, model.hash, "text"});
    bench.load(plan);
  }
  void computed(TileId tile, Duration time = milliseconds(1)) {
    bench.give(TileComputed{key, tile, 0, Place::home, time});
  }
};

TEST_CASE("what is loaded stays, whatever else comes of loading it") {
  Home home;
  home.bench.give(PlanLoaded{home.plan.hash, Error{"it does not hash to that"}});
  home.bench.hear(0, FrameOpen{home.key, home.plan.hash, seconds(1)});
  CHECK(home.bench.said<Grant>(0).size() == 1);
}

TEST_CASE("a tile that is done says nothing of another one that hangs") {
  Home home({.compute_slots = 2, .packing_allowed = seconds(1)});
  begin_frame(home.bench, home.plan, home.key);
  home.bench.give(TileBegun{home.key, TileId{1}, Place::home});
  const auto hangs = [&] { return !home.bench.said<PlanReady>(0).empty(); };
  REQUIRE(tenths(home.bench, 20, {0, 2, 3}, hangs) <= 20);
  home.computed(TileId{1});
  CHECK(home.bench.said<PlanReady>(0).empty());
  home.computed(TileId{0});
  REQUIRE(home.bench.said<PlanReady>(0).size() == 1);
  CHECK(home.bench.said<PlanReady>(0)[0].ready);
}

TEST_CASE("a tile that is given back before its windows have left is sent no more of them") {
  Home home({}, 300);
  begin_frame(home.bench, home.plan, home.key);
  home.bench.hear(2, StealRequest{{prefix64(home.plan.hash)}});
  REQUIRE(home.bench.said<StealReply>(2).at(0).lent.has_value());
  const TileId lent = home.bench.said<StealReply>(2)[0].lent->tile;
  const std::vector<LentPart> inputs = lent_parts(home.plan, tile(home.plan.plan, lent).inputs);
  REQUIRE(home.bench.said<Piece>(2).size() < inputs.size());
  uint64_t sent = 0;
  for (const Piece& piece : home.bench.said<Piece>(2))
    sent += static_cast<uint64_t>(inputs[piece.index].bytes);
  home.bench.hear(2, Failed{Failed::Kind::given_back, home.key, lent, 0, "no memory"});
  home.bench.envelope().pasted_bytes = sent;
  home.bench.hear(2, Beat{});
  CHECK(home.bench.said<Piece>(2).empty());
}

TEST_CASE("a home keeps as many ready tiles as it is told") {
  for (const uint32_t kept : {2U, 3U}) {
    CAPTURE(kept);
    Home home({.steal_keep = kept});
    begin_frame(home.bench, home.plan, home.key);  // three are ready beside the one that runs
    home.bench.hear(2, StealRequest{{prefix64(home.plan.hash)}});
    REQUIRE(home.bench.said<StealReply>(2).size() == 1);
    CHECK(home.bench.said<StealReply>(2)[0].lent.has_value() == (kept == 2));
  }
}

TEST_CASE("who is no home of a plan is ready for it wherever its homes are") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1, 2}));
  NodeBench spare(bench_config(3, 4));
  spare.join(0);
  spare.hear(0, PlanOffer{plan.hash, model.hash, "text"});
  spare.load(plan);
  REQUIRE(spare.said<PlanReady>(0).size() == 1);
  CHECK(spare.said<PlanReady>(0)[0].ready);
}

TEST_CASE("sentences, names and slots have a longest, and that much is let in") {
  const auto refused = [](const Message& message) {
    NodeBench bench(bench_config(1, 3));
    bench.join(2);
    bench.hear(2, message);
    return bench.refused() == 1;
  };
  const auto letters = [](size_t count) { return std::string(count, 'x'); };
  CHECK_FALSE(refused(PlanReady{.plan = {}, .why_not = letters(4096), .lost = {}}));
  CHECK(refused(PlanReady{.plan = {}, .why_not = letters(4097), .lost = {}}));
  CHECK_FALSE(refused(Failed{Failed::Kind::voided, {}, {}, 0, letters(4096)}));
  CHECK(refused(Failed{Failed::Kind::voided, {}, {}, 0, letters(4097)}));
  const auto hello = [&](size_t name, size_t arithmetic, uint32_t slots) {
    return Hello{.life = 1,
                 .session = 2,
                 .answers = 1,
                 .credit_bytes = 1 << 20,
                 .name = letters(name),
                 .arithmetic_class = letters(arithmetic),
                 .compute_slots = slots};
  };
  CHECK_FALSE(refused(hello(256, 256, 1024)));
  CHECK(refused(hello(257, 256, 1024)));
  CHECK(refused(hello(256, 257, 1024)));
  CHECK(refused(hello(256, 256, 1025)));
}

TEST_CASE("a home that loses who audits a tile says so to the owner") {
  Home home;
  begin_frame(home.bench, home.plan, home.key, {{TileId{0}, NodeId{2}}});
  home.bench.give(PeerLost{NodeId{2}, "gone"});
  REQUIRE(home.bench.said<AuditResult>(0).size() == 1);
  CHECK(home.bench.said<AuditResult>(0)[0].tile == TileId{0});
  CHECK_FALSE(home.bench.said<AuditResult>(0)[0].content.has_value());
}

TEST_CASE("who audits a tile of a frame that ends hears so") {
  Home home;
  begin_frame(home.bench, home.plan, home.key, {{TileId{0}, NodeId{2}}});
  home.bench.hear(0, FrameClosed{home.key, true});
  CHECK(home.bench.said<FrameClosed>(2).size() == 1);
  CHECK(home.bench.said<FrameClosed>(3).empty());
}

TEST_CASE("whose plan makes way for another hears so, and may offer it again") {
  Home home({.plans = 2});
  for (const uint32_t peer : {2U, 3U}) {
    PlanHash other;
    other.bytes[0] = static_cast<uint8_t>(peer);
    home.bench.hear(peer, PlanOffer{other, home.model.hash, "text"});
    REQUIRE(home.bench.said<PlanReady>(0).size() == (peer == 3 ? 1 : 0));
  }
  CHECK(home.bench.said<PlanReady>(0)[0].plan == home.plan.hash);
  CHECK(home.bench.said<PlanReady>(0)[0].again);
}

TEST_CASE("a node whose weights have changed looks at them no more until they are packed again") {
  Home home;
  home.bench.give(WeightsDamaged{"a bit flipped"});
  const auto looks = [&] { return !home.bench.all<CheckWeights>().empty(); };
  CHECK(tenths(home.bench, 30, {0, 2, 3}, looks) == 31);
  home.bench.give(PackedAgain{});
  CHECK(tenths(home.bench, 30, {0, 2, 3}, looks) == 10);
}

TEST_CASE("a canvas is released with the last tile that uses it") {
  Home home;
  begin_frame(home.bench, home.plan, home.key);
  size_t released = 0;
  std::optional<TileId> running = TileId{0};  // since its windows were here
  while (running) {
    home.computed(*running);
    released += home.bench.all<Release>().size();
    const std::vector<Compute> orders = home.bench.all<Compute>();
    running = orders.empty() ? std::nullopt : std::optional(orders[0].tile);
  }
  CHECK(released == home.plan.routes.canvases.size());
}

TEST_CASE("tiles that pile up are told to nobody who could not take them") {
  Home home;
  home.bench.join(3, 1, "other arithmetic", 2);
  home.bench.hear(0, FrameOpen{home.key, home.plan.hash, seconds(1)});
  size_t told = 0, told_in_vain = 0;
  for (const StripId id : home.plan.routes.from_frame) {
    home.bench.hear(
        0, Piece{home.key, prefix64(home.plan.hash), Piece::Role::promised, {}, 0, id.value},
        home.plan.routes.strips[id.value].bytes);
    told += home.bench.said<Beat>(2).size();
    told_in_vain += home.bench.said<Beat>(3).size();
  }
  CHECK(told == 1);
  CHECK(told_in_vain == 0);
}

TEST_CASE("who claims to have taken in more than was sent is counted as out of protocol") {
  Home home;
  home.bench.envelope().pasted_bytes = 1;
  home.bench.hear(2, Beat{});
  CHECK(home.bench.refused() == 1);
}

TEST_CASE("a plan whose frame is under way makes no way for another") {
  Home home({.plans = 2});
  begin_frame(home.bench, home.plan, home.key);
  for (const uint32_t peer : {2U, 3U}) {
    PlanHash other;
    other.bytes[0] = static_cast<uint8_t>(peer);
    home.bench.hear(peer, PlanOffer{other, home.model.hash, "text"});
    CHECK(home.bench.said<PlanReady>(0).empty());
  }
  CHECK(home.bench.said<PlanReady>(3).size() == 1);
}

TEST_CASE("a thief that gives an earlier attempt back keeps the later one") {
  Home home;
  begin_frame(home.bench, home.plan, home.key);
  const auto lend = [&] {
    home.bench.hear(2, StealRequest{{prefix64(home.plan.hash)}});
    return home.bench.said<StealReply>(2).at(0).lent.value();
  };
  const Assign first = lend();
  home.bench.give(PeerLost{NodeId{2}, "gone"});
  home.bench.join(2, 1, "", 2);
  const Assign second = lend();
  REQUIRE(second.tile == first.tile);
  REQUIRE(second.attempt == first.attempt + 1);
  home.bench.hear(
      2, Failed{Failed::Kind::given_back, home.key, first.tile, first.attempt, "no memory"});
  const std::vector<LentPart> outputs =
      lent_parts(home.plan, tile(home.plan.plan, second.tile).outputs);
  home.bench.hear(2,
                  Piece{home.key, prefix64(home.plan.hash), Piece::Role::lent_output, second.tile,
                        second.attempt, 0},
                  outputs[0].bytes);
  CHECK(home.bench.all<Paste>().size() == 1);
}

TEST_CASE("a tile that is given back takes no window of another frame's with it") {
  Home home({.link_credit_bytes = 1000}, 300);
  const FrameKey later{NodeId{0}, 1, 8};
  const TileId last{3};  // of the first block
  begin_frame(home.bench, home.plan, home.key);
  begin_frame(home.bench, home.plan, later);
  std::vector<Piece> sent;
  const auto keep = [&] {
    for (const Piece& piece : home.bench.said<Piece>(2)) sent.push_back(piece);
  };
  std::set<TileId> lent_of_later;
  for (bool given_back = false; !given_back;) {
    home.bench.hear(2, StealRequest{{prefix64(home.plan.hash)}});
    keep();
    const Assign lent = home.bench.said<StealReply>(2).at(0).lent.value();
    if (lent.key == later) {
      lent_of_later.insert(lent.tile);
      continue;
    }
    REQUIRE(lent.tile == last);
    home.bench.hear(2, Failed{Failed::Kind::given_back, home.key, last, 0, "no memory"});
    keep();
    given_back = true;
  }
  REQUIRE(lent_of_later.contains(last));
  const auto taken_in = [&] {
    uint64_t bytes = 0;
    for (const Piece& piece : sent)
      bytes += static_cast<uint64_t>(
          lent_parts(home.plan, tile(home.plan.plan, piece.tile).inputs)[piece.index].bytes);
    return bytes;
  };
  for (size_t before = 0; before < sent.size();) {
    before = sent.size();
    home.bench.envelope().pasted_bytes = taken_in();
    home.bench.hear(2, Beat{});
    keep();
  }
  const auto windows = std::count_if(sent.begin(), sent.end(), [&](const Piece& piece) {
    return piece.key == later && piece.tile == last;
  });
  CHECK(static_cast<size_t>(windows) ==
        lent_parts(home.plan, tile(home.plan.plan, last).inputs).size());
}

TEST_CASE("an auditor is asked for its tile's content, for the attempt that it is told") {
  Home home;
  begin_frame(home.bench, home.plan, home.key, {{TileId{1}, NodeId{2}}});
  home.computed(TileId{0});
  REQUIRE(home.bench.said<AuditRequest>(2).size() == 1);
  const Assign asked = home.bench.said<AuditRequest>(2)[0].assign;
  CHECK(asked.key == home.key);
  CHECK(asked.plan == home.plan.hash);
  CHECK(asked.tile == TileId{1});
  CHECK(asked.attempt == 0);
  CHECK(asked.audited);
}

TEST_CASE("a tile whose auditor is away is computed as any other, and its owner hears so") {
  Home home;
  begin_frame(home.bench, home.plan, home.key, {{TileId{1}, NodeId{2}}});
  home.bench.give(PeerLost{NodeId{2}, "gone"});
  home.computed(TileId{0});
  REQUIRE(home.bench.all<Compute>().size() == 1);
  CHECK(home.bench.all<Compute>()[0].tile == TileId{1});
  CHECK_FALSE(home.bench.all<Compute>()[0].audited);
  REQUIRE(home.bench.said<AuditResult>(0).size() == 1);
  CHECK(home.bench.said<AuditResult>(0)[0].tile == TileId{1});
}

TEST_CASE("an auditor that was lost and is back hears nothing more of the audit") {
  Home home;
  begin_frame(home.bench, home.plan, home.key, {{TileId{0}, NodeId{2}}});
  home.bench.give(PeerLost{NodeId{2}, "gone"});
  home.bench.join(2, 1, "", 2);
  home.bench.hear(0, FrameClosed{home.key, true});
  CHECK(home.bench.said<FrameClosed>(2).empty());
}

TEST_CASE("nobody gives back what was lent to another, or what was not lent") {
  Home home;
  begin_frame(home.bench, home.plan, home.key);
  home.bench.hear(2, StealRequest{{prefix64(home.plan.hash)}});
  const Assign lent = home.bench.said<StealReply>(2).at(0).lent.value();
  for (const TileId tile : {lent.tile, TileId{2}})
    home.bench.hear(3, Failed{Failed::Kind::given_back, home.key, tile, 0, "no memory"});
  home.bench.hear(
      2, Piece{home.key, prefix64(home.plan.hash), Piece::Role::lent_output, lent.tile, 0, 0},
      lent_parts(home.plan, tile(home.plan.plan, lent.tile).outputs)[0].bytes);
  CHECK(home.bench.all<Paste>().size() == 1);
}

TEST_CASE("a frame is as urgent as its own deadline says, whatever other owners' frames are here") {
  Home home;
  const auto begin = [&](uint32_t owner, Duration time_left) {
    const FrameKey key{NodeId{owner}, 1, 7};
    home.bench.hear(owner, FrameOpen{key, home.plan.hash, time_left});
    for (const StripId id : home.plan.routes.from_frame)
      home.bench.hear(owner,
                      Piece{key, prefix64(home.plan.hash), Piece::Role::promised, {}, 0, id.value},
                      home.plan.routes.strips[id.value].bytes);
  };
  begin(3, seconds(5));  // its first tile runs
  begin(2, seconds(10));
  begin(0, seconds(1));
  home.bench.give(TileComputed{{NodeId{3}, 1, 7}, TileId{0}, 0, Place::home, milliseconds(1)});
  REQUIRE(home.bench.all<Compute>().size() == 1);
  CHECK(home.bench.all<Compute>()[0].key.owner == NodeId{0});
}

}  // namespace
}  // namespace shingle
