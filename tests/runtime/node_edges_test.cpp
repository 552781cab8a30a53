// Rules that whole stories pass over: the last moment of a limit, the second copy of a message, the
// word that comes too late.
#include <doctest/doctest.h>

#include <algorithm>

#include "node_bench.hpp"
#include "partition/stand_in.hpp"
#include "runtime/node_loan.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

NodeConfig config_of(uint32_t id, uint32_t members, const NodeLimits& limits) {
  NodeConfig config = bench_config(id, members);
  config.limits = limits;
  return config;
}

// So many tenths of a second in which these peers are heard, until something is so: how many?
template <class Until>
int tenths(NodeBench& bench, int most, const std::vector<uint32_t>& heard, Until until) {
  for (int count = 1; count <= most; ++count) {
    bench.wait(milliseconds(100));
    for (const uint32_t peer : heard) bench.hear(peer, Beat{});
    bench.give(Woken{});
    if (until()) return count;
  }
  return most + 1;
}

void begin_frame(NodeBench& bench, const LoadedPlan& plan, const FrameKey& key,
                 std::vector<TileAudit> audits = {}) {
  bench.hear(0, FrameOpen{key, plan.hash, seconds(1), std::move(audits)});
  for (const StripId id : plan.routes.from_frame)
    if (plan.routes.strips[id.value].destination == bench.id())
      bench.hear(0, Piece{key, prefix64(plan.hash), Piece::Role::promised, {}, 0, id.value},
                 plan.routes.strips[id.value].bytes);
}

// --- owner ---

// Node 0 owns and computes nothing; nodes 1 and 2 are homes; node 3 is a spare.
struct Owner {
  Model model;
  LoadedPlan wanted = trusted_plan(model, bench_plan(model, {1, 2}));
  NodeBench bench;

  explicit Owner(NodeLimits limits = {}, int32_t side = 16)
      : model(bench_model(side)), bench(config_of(0, 4, idle(limits))) {
    for (const uint32_t peer : {1U, 2U, 3U}) bench.join(peer);
    bench.give(PlanProposed{wanted.hash, model.hash, print(wanted.plan)});
    bench.load(wanted);
  }
  static NodeLimits idle(NodeLimits limits) {
    limits.compute_slots = 0;
    return limits;
  }
  void all_ready() {
    for (const uint32_t peer : {1U, 2U, 3U}) say_ready(peer, wanted);
  }
  void capture() { bench.give(FrameCaptured{1, wanted.hash, seconds(1)}); }
  void say_ready(uint32_t peer, const LoadedPlan& plan) {
    bench.hear(peer, PlanReady{plan.hash, true, {}});
  }
  void decline(uint32_t peer, const LoadedPlan& plan) {
    bench.hear(peer, PlanReady{plan.hash, false, "it has no room"});
  }
  void lose(uint32_t peer) { bench.give(PeerLost{NodeId{peer}, "its connection closed"}); }
  LoadedPlan stand_in(const std::vector<Inheritance>& losses) const {
    return trusted_plan(model, shingle::stand_in(wanted.plan, losses));
  }
  bool offered(uint32_t peer, const LoadedPlan& plan) const {
    const auto offers = bench.said<PlanOffer>(peer);
    return std::any_of(offers.begin(), offers.end(),
                       [&](const PlanOffer& offer) { return offer.plan == plan.hash; });
  }
};

TEST_CASE("an heir that has room after all inherits at once") {
  Owner owner;
  owner.all_ready();
  owner.capture();
  const LoadedPlan first = owner.stand_in({{NodeId{2}, {{1}}}});
  owner.lose(2);
  owner.bench.load(first);
  owner.decline(1, first);
  CHECK(owner.bench.said<FrameOpen>(1).empty());
  owner.say_ready(1, first);
  REQUIRE(owner.bench.said<FrameOpen>(1).size() == 1);
  CHECK(owner.bench.said<FrameOpen>(1)[0].plan == first.hash);
  CHECK(owner.bench.node().counters().frames_reissued == 1);
}

TEST_CASE("a home that had no room and is asked again is stood in for until it answers") {
  Owner owner;
  owner.all_ready();
  const LoadedPlan first = owner.stand_in({{NodeId{2}, {{1}}}});
  owner.bench.hear(2, PlanReady{owner.wanted.hash, false, "it gave the plan up", {}, true});
  owner.capture();
  owner.bench.load(first);
  owner.say_ready(1, first);
  owner.bench.hear(1, Grant{{NodeId{0}, 1, 1}});
  const auto asked = [&] { return owner.offered(2, owner.wanted); };
  REQUIRE(tenths(owner.bench, 60, {1, 2, 3}, asked) <= 60);
  owner.bench.give(FrameCaptured{2, owner.wanted.hash, seconds(1)});
  REQUIRE(owner.bench.said<FrameOpen>(1).size() == 1);
  CHECK(owner.bench.said<FrameOpen>(1)[0].plan == first.hash);
}

TEST_CASE("who was lost before a plan was proposed inherits nothing") {
  Owner owner;
  owner.lose(3);
  const LoadedPlan plan = trusted_plan(owner.model, bench_plan(owner.model, {2, 1}));
  owner.bench.give(PlanProposed{plan.hash, owner.model.hash, print(plan.plan)});
  owner.bench.load(plan);
  for (const uint32_t peer : {1U, 2U}) owner.say_ready(peer, plan);
  owner.bench.give(FrameCaptured{1, plan.hash, seconds(1)});
  owner.lose(1);
  owner.lose(2);
  CHECK(owner.bench.all<LoadPlan>().empty());
}

TEST_CASE("a stand-in that could not be loaded here is tried again when its time is over") {
  Owner owner({.return_awaited = seconds(60)});
  owner.all_ready();
  owner.capture();
  owner.lose(2);
  const PlanHash first = owner.stand_in({{NodeId{2}, {{1}}}}).hash;
  owner.bench.give(PlanLoaded{first, nullptr, "it does not fit"});
  const auto tried = [&] { return !owner.bench.all<LoadPlan>().empty(); };
  CHECK(tenths(owner.bench, 60, {1, 3}, tried) == 50);
}

TEST_CASE("a hanging home is left for one that has said nothing as yet, after a while") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1}));
  const LoadedPlan first = trusted_plan(model, shingle::stand_in(plan.plan, {{NodeId{1}, {{2}}}}));
  NodeBench bench(config_of(0, 3, Owner::idle({})));
  for (const uint32_t peer : {1U, 2U}) bench.join(peer);
  bench.give(PlanProposed{plan.hash, model.hash, print(plan.plan)});
  bench.load(plan);
  bench.hear(1, PlanReady{plan.hash, true, {}});
  bench.give(FrameCaptured{1, plan.hash, seconds(1)});
  bench.hear(1, Grant{{NodeId{0}, 1, 1}});
  bench.hear(1, PlanReady{.plan = plan.hash, .why_not = "it hangs", .hangs = true});
  const auto offered = [&] { return !bench.said<PlanOffer>(2).empty(); };
  REQUIRE(tenths(bench, 60, {1, 2}, offered) <= 60);
  CHECK(bench.said<PlanOffer>(2)[0].plan == first.hash);
  bench.load(first);
  bench.hear(2, PlanReady{first.hash, true, {}});
  CHECK(bench.reports(Report::Kind::frame_reissued).size() == 1);
}

TEST_CASE("a plan that is withdrawn is held no longer") {
  Owner owner;
  owner.bench.give(PlanWithdrawn{owner.wanted.hash});
  owner.bench.hear(1, PlanOffer{owner.wanted.hash, owner.model.hash, ""});
  REQUIRE(owner.bench.said<PlanReady>(1).size() == 1);
  CHECK(owner.bench.said<PlanReady>(1)[0].again);
}

TEST_CASE("what waits to be sent of an attempt that has ended is not sent") {
  Owner owner({.link_window_bytes = 1000}, 300);
  owner.all_ready();
  owner.capture();
  const FrameKey key{NodeId{0}, 1, 1};
  for (const uint32_t home : {1U, 2U}) owner.bench.hear(home, Grant{key});
  const std::vector<Piece> sent = owner.bench.said<Piece>(1);
  REQUIRE(sent.size() == 1);  // of several
  owner.lose(2);
  owner.bench.envelope().pasted_bytes =
      static_cast<uint64_t>(owner.wanted.routes.strips[sent[0].index].bytes);
  owner.bench.hear(1, Beat{});
  CHECK(owner.bench.refused() == 0);
  CHECK(owner.bench.said<Piece>(1).empty());
}

TEST_CASE("a piece that leaves says what was taken in, and needs no beat beside it") {
  Owner owner({.link_window_bytes = 1000}, 300);
  owner.all_ready();
  owner.capture();
  const FrameKey key{NodeId{0}, 1, 1};
  for (const uint32_t home : {1U, 2U}) owner.bench.hear(home, Grant{key});
  const auto& strips = owner.wanted.routes.strips;
  const std::vector<Piece> sent = owner.bench.said<Piece>(1);
  REQUIRE(sent.size() == 1);  // of several
  owner.bench.envelope().pasted_bytes = static_cast<uint64_t>(strips[sent[0].index].bytes);
  for (const StripId id : owner.wanted.routes.to_owner) {
    if (tile(owner.wanted.plan, *strips[id.value].producer).home != NodeId{1}) continue;
    owner.bench.hear(
        1, Piece{key, prefix64(owner.wanted.hash), Piece::Role::promised, {}, 0, id.value},
        strips[id.value].bytes);
    break;
  }
  CHECK(owner.bench.said<Piece>(1).size() == 1);
  CHECK(owner.bench.said<Beat>(1).empty());
}

TEST_CASE("a home that refuses a stand-in in which it inherits nothing is stood in for as well") {
  Owner owner;
  owner.all_ready();
  owner.capture();
  const LoadedPlan first = owner.stand_in({{NodeId{2}, {{1}}}}),
                   second = owner.stand_in({{NodeId{2}, {{3}}}});
  owner.lose(2);
  owner.bench.load(first);
  owner.decline(1, first);
  REQUIRE(owner.offered(1, second));
  owner.bench.load(second);
  owner.decline(1, second);
  CHECK(owner.offered(3, owner.stand_in({{NodeId{1}, {{3}}}, {NodeId{2}, {{3}}}})));
}

TEST_CASE("a home that is lost before it was ever ready is stood in for") {
  Owner owner;
  owner.say_ready(1, owner.wanted);
  owner.lose(2);
  owner.capture();
  CHECK(owner.offered(1, owner.stand_in({{NodeId{2}, {{1}}}})));
}

TEST_CASE("a second copy of a strip of the outcome changes nothing") {
  Owner owner;
  owner.all_ready();
  owner.capture();
  const FrameKey key{NodeId{0}, 1, 1};
  for (const uint32_t home : {1U, 2U}) owner.bench.hear(home, Grant{key});
  const StripId id = owner.wanted.routes.to_owner.at(0);
  const Strip& strip = owner.wanted.routes.strips[id.value];
  const uint32_t home = tile(owner.wanted.plan, *strip.producer).home.value;
  const Piece piece{key, prefix64(owner.wanted.hash), Piece::Role::promised, {}, 0, id.value};
  owner.bench.hear(home, piece, strip.bytes);
  CHECK(owner.bench.all<Paste>().size() == 1);
  owner.bench.hear(home, piece, strip.bytes);
  CHECK(owner.bench.all<Paste>().empty());
}

TEST_CASE("a tile that is done is reported with who computed it and how long that took") {
  Owner owner;
  owner.all_ready();
  owner.capture();
  const FrameKey key{NodeId{0}, 1, 1};
  for (const uint32_t home : {1U, 2U}) owner.bench.hear(home, Grant{key});
  REQUIRE(tile(owner.wanted.plan, TileId{2}).home == NodeId{1});
  owner.bench.hear(1, Done{key, TileId{2}, NodeId{3}, 0, milliseconds(5), {}});
  const std::vector<Report> reports = owner.bench.reports(Report::Kind::tile_done);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].tile == TileId{2});
  CHECK(reports[0].node == NodeId{3});
  CHECK(reports[0].elapsed == milliseconds(5));
  owner.bench.hear(1, Done{key, TileId{2}, NodeId{3}, 0, milliseconds(5), {}});
  CHECK(owner.bench.reports(Report::Kind::tile_done).empty());
}

TEST_CASE("a strip of the outcome that comes before the frame runs is not believed") {
  Owner owner;
  owner.all_ready();
  owner.capture();
  const FrameKey key{NodeId{0}, 1, 1};
  owner.bench.hear(1, Grant{key});
  for (const StripId id : owner.wanted.routes.to_owner) {
    const Strip& strip = owner.wanted.routes.strips[id.value];
    const uint32_t home = tile(owner.wanted.plan, *strip.producer).home.value;
    owner.bench.hear(
        home, Piece{key, prefix64(owner.wanted.hash), Piece::Role::promised, {}, 0, id.value},
        strip.bytes);
    CHECK(owner.bench.all<Paste>().empty());
  }
}

TEST_CASE("a frame whose plan cannot be loaded ends at once") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1}));
  NodeBench bench(config_of(0, 3, Owner::idle({})));
  bench.give(PlanProposed{plan.hash, model.hash, "text"});
  bench.give(FrameCaptured{1, plan.hash, seconds(1)});
  CHECK(bench.reports(Report::Kind::frame_aborted).empty());
  bench.give(PlanLoaded{plan.hash, nullptr, "it does not hash to that"});
  CHECK(bench.reports(Report::Kind::frame_aborted).size() == 1);
}

TEST_CASE("a home that gives no slot is left when its time is over, sooner if it does nothing") {
  for (const bool computes : {false, true}) {
    CAPTURE(computes);
    Owner owner({.slot_awaited = seconds(1), .first_tile_allowed = seconds(3)});
    owner.all_ready();
    owner.capture();
    owner.bench.envelope().running_tiles = computes ? 1 : 0;
    const auto left = [&] { return !owner.bench.reports(Report::Kind::frame_reissued).empty(); };
    CHECK(tenths(owner.bench, 50, {1, 2, 3}, left) == (computes ? 30 : 10));
  }
}

TEST_CASE("a home that never says that it is ready is given up when its time is over") {
  Owner owner({.answer_awaited = seconds(3)});
  owner.say_ready(1, owner.wanted);
  const auto refused = [&] { return !owner.bench.reports(Report::Kind::plan_refused).empty(); };
  CHECK(tenths(owner.bench, 50, {1, 2, 3}, refused) == 30);
}

TEST_CASE("an owner whose weights cannot be packed again never counts on itself") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {0}));
  NodeBench bench(bench_config(0, 2));
  bench.join(1, 0);
  bench.give(PlanProposed{plan.hash, model.hash, print(plan.plan)});
  bench.load(plan);
  REQUIRE(bench.reports(Report::Kind::plan_ready).size() == 1);
  bench.give(WeightsDamaged{"a bit flipped"});
  bench.give(PackedAgain{"the file is gone"});
  const auto ready = [&] { return !bench.reports(Report::Kind::plan_ready).empty(); };
  CHECK(tenths(bench, 120, {1}, ready) == 121);
}

// --- home ---

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
    bench.give(TileComputed{key, tile, 0, Place::home, time, {}});
  }
};

TEST_CASE("what is loaded stays, whatever else comes of loading it") {
  Home home;
  home.bench.give(PlanLoaded{home.plan.hash, nullptr, "it does not hash to that"});
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
  const std::vector<Chunk> inputs = lent_chunks(home.plan, tile(home.plan.plan, lent).inputs);
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
                 .window_bytes = 1 << 20,
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
  REQUIRE(home.bench.said<Witness>(0).size() == 1);
  CHECK(home.bench.said<Witness>(0)[0].tile == TileId{0});
  CHECK_FALSE(home.bench.said<Witness>(0)[0].content.has_value());
}

TEST_CASE("who audits a tile of a frame that ends hears so") {
  Home home;
  begin_frame(home.bench, home.plan, home.key, {{TileId{0}, NodeId{2}}});
  home.bench.hear(0, FrameClosed{home.key, true});
  CHECK(home.bench.said<FrameClosed>(2).size() == 1);
  CHECK(home.bench.said<FrameClosed>(3).empty());
}

TEST_CASE("what was said in a step to a peer that is lost in it is not sent to its next session") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1, 2}));
  NodeBench bench(bench_config(1, 4));
  for (const uint32_t peer : {2U, 3U}) bench.join(peer);
  bench.hear(3, PlanOffer{plan.hash, model.hash, "text"});
  bench.load(plan);
  REQUIRE(bench.said<PlanReady>(3).size() == 1);
  const auto lost = [&] { return !bench.reports(Report::Kind::peer_lost).empty(); };
  REQUIRE(tenths(bench, 10, {}, lost) <= 10);
  REQUIRE(bench.reports(Report::Kind::peer_lost).size() == 2);
  CHECK(bench.said<PlanReady>(3).empty());  // that it lost node 2
  CHECK(bench.said<Hello>(3).size() == 1);
}

TEST_CASE("what takes half a beat more than it should is a pause of this node itself") {
  NodeBench bench(bench_config(1, 3));
  bench.join(2);
  const auto lost_after = [&](int ms) {
    bench.wait(milliseconds(ms));
    bench.give(Woken{});
    return bench.reports(Report::Kind::peer_lost).size();
  };
  CHECK(lost_after(150) == 0);  // the alarm was set to 100
  CHECK(lost_after(100) == 0);
  CHECK(lost_after(100) == 0);
  CHECK(lost_after(90) == 0);
  CHECK(lost_after(10) == 1);
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

TEST_CASE("the ten seconds in which sessions are told begin with the first of them") {
  NodeBench bench(bench_config(1, 3));
  bench.wait(seconds(9));
  for (uint32_t session = 1; session <= 10; ++session) {
    bench.join(2, 1, "", session);
    CHECK(bench.reports(Report::Kind::peer_joined).size() == 1);
    bench.give(PeerLost{NodeId{2}, "gone"});
  }
  bench.wait(milliseconds(1500));
  bench.join(2, 1, "", 11);
  CHECK(bench.reports(Report::Kind::peer_joined).empty());
}

TEST_CASE("an alarm that is set is not set again") {
  NodeBench bench(bench_config(1, 3));
  bench.join(2);
  bench.hear(2, Beat{});
  CHECK(bench.all<WakeAt>().empty());
}

TEST_CASE("a node whose weights have changed looks at them no more until they are packed again") {
  Home home;
  home.bench.give(WeightsDamaged{"a bit flipped"});
  const auto looks = [&] { return !home.bench.all<CheckWeights>().empty(); };
  CHECK(tenths(home.bench, 30, {0, 2, 3}, looks) == 31);
  home.bench.give(PackedAgain{});
  CHECK(tenths(home.bench, 30, {0, 2, 3}, looks) == 10);
}

TEST_CASE("a step leaves the actions of earlier ones as they are") {
  Node node(bench_config(1, 3));
  Actions actions;
  node.step({}, PeerSeen{NodeId{2}}, actions);
  REQUIRE(actions.size() >= 1);
  REQUIRE(std::holds_alternative<Send>(actions[0]));
  std::get<Send>(actions[0]).envelope.ready_tiles = 77;
  node.step({}, PeerSeen{NodeId{0}}, actions);
  CHECK(std::get<Send>(actions[0]).envelope.ready_tiles == 77);
}

// --- thief, auditor ---

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
    const std::vector<Chunk> inputs = lent_chunks(plan, tile(plan.plan, id).inputs);
    for (uint32_t i = 0; i < inputs.size(); ++i)
      bench.hear(2, Piece{key, prefix64(plan.hash), role, id, attempt, i}, inputs[i].bytes);
  }
  void computed(TileId tile, Duration time, uint32_t attempt = 0) {
    bench.give(TileComputed{key, tile, attempt, Place::lent, time, {}});
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
      TileComputed{thief.key, TileId{1}, 0, Place::lent, milliseconds(1), "no memory"});
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
    auditor.bench.hear(by, Recheck{auditor.assign(TileId{1})});
    return auditor.bench.said<Witness>(0).size() == 1;
  };
  CHECK(declined(3));
  CHECK_FALSE(declined(2));
  CHECK(declined(2));
}

TEST_CASE("an auditor that loses the tile's home tells the owner that it has no opinion") {
  Thief auditor;
  auditor.bench.hear(2, Recheck{auditor.assign(TileId{1})});
  auditor.bench.give(PeerLost{NodeId{2}, "gone"});
  REQUIRE(auditor.bench.said<Witness>(0).size() == 1);
  CHECK_FALSE(auditor.bench.said<Witness>(0)[0].content.has_value());
}

TEST_CASE("an auditor takes on what it may keep, and nothing while its weights are damaged") {
  const int64_t one = moved_bytes(Thief().plan, tile(Thief().plan.plan, TileId{1}));
  Thief auditor({.audit_bytes = one + one / 2});
  const auto declined = [&](TileId tile) {
    auditor.bench.hear(2, Recheck{auditor.assign(tile)});
    return auditor.bench.said<Witness>(0).size() == 1;
  };
  CHECK_FALSE(declined(TileId{1}));
  CHECK(declined(TileId{2}));
  Thief damaged;
  damaged.bench.give(WeightsDamaged{"a bit flipped"});
  damaged.bench.hear(2, Recheck{damaged.assign(TileId{1})});
  CHECK(damaged.bench.said<Witness>(0).size() == 1);
}

}  // namespace
}  // namespace shingle
