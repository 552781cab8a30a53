// An owner whose homes are lost, on the bench: stand-ins, attempts, heirs, and when frames are
// aborted.
#include <doctest/doctest.h>

#include <algorithm>

#include "recovery_bench.hpp"

namespace shingle {
namespace {

using std::chrono::seconds;

TEST_CASE("a frame that loses a home is closed, and begun again on a stand-in once that is ready") {
  RecoveryBench owner;
  const LoadedPlan stand_in = owner.without(2, {{1}});
  owner.bench.hear(1, Grant{owner.key(0)});
  // When a home is lost
  owner.lose(2);
  // Then the attempt is closed at the other, which is offered the stand-in
  CHECK(owner.count(Report::Kind::frame_reissued) == 1);
  CHECK(owner.count(Report::Kind::frame_aborted) == 0);
  REQUIRE(owner.count(Report::Kind::plan_impaired) == 1);
  CHECK(owner.bench.reports(Report::Kind::plan_impaired)[0].plan == owner.wanted.hash);
  REQUIRE(owner.bench.said<FrameClosed>(1).size() == 1);
  CHECK(owner.bench.said<FrameClosed>(1)[0].key == owner.key(0));
  REQUIRE(owner.bench.said<PlanOffer>(1).size() == 1);
  CHECK(owner.bench.said<PlanOffer>(1)[0].plan == stand_in.hash);
  CHECK(owner.opened(1).empty());
  // And when it is ready, the next attempt opens on it
  owner.bench.load(stand_in);
  owner.say_ready(1, stand_in);
  CHECK(owner.opened(1) == std::vector<FrameKey>{owner.key(1)});
  owner.bench.hear(1, Grant{owner.key(1)});
  CHECK(owner.bench.said<Piece>(1).size() > 1);  // its own rows of the picture and the lost ones
}

TEST_CASE("what an earlier attempt still brings is harmless") {
  RecoveryBench owner;
  const LoadedPlan stand_in = owner.without(2, {{1}});
  owner.lose(2);
  owner.bench.load(stand_in);
  owner.say_ready(1, stand_in);
  owner.bench.hear(1, Grant{owner.key(0)});
  CHECK(owner.bench.said<Piece>(1).empty());  // it granted another attempt's slot
  owner.bench.hear(1, Failed{Failed::Kind::at_home, owner.key(0), TileId{0}, 0, "no"});
  CHECK(owner.count(Report::Kind::frame_reissued) == 0);
  owner.bench.hear(1, Done{owner.key(0), TileId{0}, NodeId{1}, 0, {}});
  CHECK(owner.count(Report::Kind::tile_done) == 0);
  CHECK(owner.bench.refused() == 0);
  owner.bench.hear(1, Grant{owner.key(1)});
  CHECK(owner.bench.said<Piece>(1).size() > 1);
}

TEST_CASE("what is said of an attempt before it is opened is not believed") {
  RecoveryBench owner;
  for (const uint32_t home : {1U, 2U}) owner.bench.hear(home, Grant{owner.key(0)});
  owner.lose(2);
  owner.bench.hear(1, Done{owner.key(1), TileId{0}, NodeId{1}, 0, {}});
  CHECK(owner.count(Report::Kind::tile_done) == 0);
}

TEST_CASE("the wanted plan is used again for the next frame once its home is back") {
  RecoveryBench owner;
  owner.lose(2);
  owner.bench.load(owner.without(2, {{1}}));
  owner.say_ready(1, owner.without(2, {{1}}));
  owner.bench.hear(1, Grant{owner.key(1)});
  owner.bench.join(2, 1, "", 2);
  owner.say_ready(2, owner.wanted);
  owner.bench.give(FrameCaptured{2, owner.wanted.hash, seconds(1)});
  REQUIRE(owner.bench.said<FrameOpen>(1).size() == 1);
  CHECK(owner.bench.said<FrameOpen>(1)[0].plan == owner.wanted.hash);
}

TEST_CASE("what befalls a node that is no home impairs no plan; a home back makes it ready again") {
  RecoveryBench owner;
  owner.bench.hear(3, PlanReady{.plan = owner.wanted.hash,
                                .ready = false,
                                .why_not = "it gave the plan up",
                                .lost = {},
                                .again = true});
  owner.lose(3);
  CHECK(owner.count(Report::Kind::plan_impaired) == 0);
  owner.lose(2);
  CHECK(owner.count(Report::Kind::plan_impaired) == 1);
  owner.bench.join(2, 1, {}, 2);
  owner.say_ready(2, owner.wanted);
  CHECK(owner.count(Report::Kind::plan_ready) == 1);
}

TEST_CASE("where all homes are lost, a spare of their class takes the work") {
  RecoveryBench owner;
  owner.lose(1);
  owner.lose(2);
  REQUIRE(owner.bench.said<PlanOffer>(3).size() == 1);
  const LoadedPlan stand_in =
      trusted_plan(owner.model, shingle::stand_in(owner.wanted.plan, {{{1}, {{3}}}, {{2}, {{3}}}}));
  CHECK(owner.bench.said<PlanOffer>(3)[0].plan == stand_in.hash);
  CHECK(owner.count(Report::Kind::frame_aborted) == 0);
}

TEST_CASE("a spare of another class would change bits: the frame ends with its reason") {
  RecoveryBench owner({}, "other");
  owner.lose(1);
  owner.lose(2);
  // At first they may be starting anew
  const auto aborted = [&] { return owner.count(Report::Kind::frame_aborted) == 1; };
  CHECK_FALSE(owner.pass(49, {3}, aborted));
  REQUIRE(owner.pass(2, {3}, aborted));
  CHECK(owner.bench.reports(Report::Kind::frame_aborted)[0].sentence ==
        "frame 1 was aborted: node 1 was lost: its connection closed; node 2 was lost: its "
        "connection closed");
}

TEST_CASE("where nobody is left, a frame waits for a home that starts anew, and runs on it") {
  RecoveryBench owner({}, "other");
  owner.lose(1);
  owner.lose(2);
  CHECK_FALSE(owner.pass(40, {3}, [&] { return owner.count(Report::Kind::frame_aborted) > 0; }));
  owner.bench.join(2, 1, "", 2);
  const LoadedPlan stand_in = owner.without(1, {{2}});
  owner.bench.load(stand_in);
  owner.say_ready(2, stand_in);
  CHECK(owner.opened(2) == std::vector<FrameKey>{owner.key(1)});
}

TEST_CASE("homes that lost each other do not work together") {
  RecoveryBench owner;
  owner.bench.hear(1, PlanReady{owner.wanted.hash, false, "it lost node 2", NodeId{2}});
  CHECK(owner.count(Report::Kind::frame_reissued) == 1);
  REQUIRE(owner.bench.said<PlanOffer>(1).size() == 1);
  CHECK(owner.bench.said<PlanOffer>(1)[0].plan == owner.without(2, {{1}}).hash);
  // When they have found each other again
  owner.say_ready(1, owner.wanted);
  CHECK(owner.opened(1) == std::vector<FrameKey>{owner.key(1)});
}

TEST_CASE("a node that fails at a tile is spared, and asked again after a while") {
  RecoveryBench owner;
  owner.bench.hear(1, Failed{Failed::Kind::at_home, owner.key(0), TileId{0}, 0, "no memory"});
  CHECK(owner.count(Report::Kind::frame_reissued) == 1);
  REQUIRE(owner.bench.said<PlanOffer>(2).size() == 1);
  CHECK(owner.bench.said<PlanOffer>(2)[0].plan == owner.without(1, {{2}}).hash);
  CHECK(owner.bench.said<PlanOffer>(1).size() == 1);  // it may still borrow
  CHECK(owner.pass(60, {1, 2, 3}, [&] { return !owner.bench.said<PlanOffer>(1).empty(); }));
}

// Otherwise attempts that take long meet the same broken homes in turn until none is left.
TEST_CASE("a node that fails late is spared for four times as long as the attempt took") {
  RecoveryBench owner;
  const auto never = [] { return false; };
  tenths(owner.bench, 30, {1, 2, 3}, never);
  (void)owner.bench.said<PlanOffer>(1);
  owner.bench.hear(1, Failed{Failed::Kind::at_home, owner.key(0), TileId{0}, 0, "no memory"});
  const auto again = [&] {
    const auto offers = owner.bench.said<PlanOffer>(1);
    return std::any_of(offers.begin(), offers.end(),
                       [&](const PlanOffer& offer) { return offer.plan == owner.wanted.hash; });
  };
  CHECK(tenths(owner.bench, 200, {1, 2, 3}, again) == 120);
}

TEST_CASE("a stand-in that did not fit here is tried again after a while") {
  RecoveryBench owner({.return_awaited = seconds(2)});
  const LoadedPlan stand_in = owner.without(2, {{1}});
  owner.lose(2);
  owner.bench.give(PlanLoaded{stand_in.hash, Error{"it does not fit"}});
  CHECK(owner.pass(60, {1, 3}, [&] { return owner.count(Report::Kind::frame_aborted) == 1; }));
  // The home comes back, and is lost again when there may be room
  owner.bench.join(2, 1, "", 2);
  owner.say_ready(2, owner.wanted);
  owner.pass(60, {1, 2, 3}, [] { return false; });
  owner.bench.give(FrameCaptured{2, owner.wanted.hash, seconds(1)});
  owner.lose(2);
  CHECK(owner.count(Report::Kind::frame_aborted) == 0);
  owner.bench.load(stand_in);
  owner.say_ready(1, stand_in);
  CHECK(owner.opened(1) == std::vector<FrameKey>{owner.key(1, 2)});
}

TEST_CASE("a home that had to give the plan up is asked again, and no frame ends for it") {
  RecoveryBench owner;
  PlanReady given_up{owner.wanted.hash, false, "it gave the plan up for another", {}, true};
  owner.bench.hear(1, given_up);
  CHECK(owner.count(Report::Kind::frame_aborted) == 0);
  CHECK(owner.count(Report::Kind::plan_refused) == 0);
  REQUIRE(owner.bench.said<PlanOffer>(2).size() == 1);
  CHECK(owner.bench.said<PlanOffer>(2)[0].plan == owner.without(1, {{2}}).hash);
}

TEST_CASE("attempts at a frame are bounded, and the last sentence says so") {
  RecoveryBench owner({.attempts = 3});
  for (uint32_t attempt = 0; attempt < 3; ++attempt) {
    CHECK(owner.count(Report::Kind::frame_aborted) == 0);
    owner.bench.hear(1, PlanReady{owner.wanted.hash, false, "it lost node 2", NodeId{2}});
    if (attempt < 2) owner.say_ready(1, owner.wanted);
  }
  REQUIRE(owner.count(Report::Kind::frame_aborted) == 1);
  CHECK(owner.bench.reports(Report::Kind::frame_aborted)[0].sentence.find(
            "3 attempts at it have come to nothing") != std::string::npos);
}

// Offers of plans that failed to load are kept for their sentences, until the table is full.
TEST_CASE("a stand-in whose home fails is not chosen again, however many proposals have failed") {
  RecoveryBench owner;
  for (uint8_t i = 1; i < max_plans; ++i) {
    PlanHash other;
    other.bytes[31] = i;
    owner.bench.give(PlanProposed{other, owner.model.hash, "text"});
    owner.bench.give(PlanLoaded{other, Error{"no such plan"}});
  }
  const LoadedPlan stand_in = owner.without(2, {{1}});
  owner.lose(2);
  owner.bench.load(stand_in);
  owner.say_ready(1, stand_in);
  REQUIRE(owner.opened(1) == std::vector<FrameKey>{owner.key(1)});
  // When the heir fails at a tile
  owner.bench.hear(1, Failed{Failed::Kind::at_home, owner.key(1), TileId{0}, 0, "no memory"});
  // Then all is given to the spare
  const LoadedPlan next =
      trusted_plan(owner.model, shingle::stand_in(owner.wanted.plan, {{{1}, {{3}}}, {{2}, {{3}}}}));
  REQUIRE(owner.bench.said<PlanOffer>(3).size() == 1);
  CHECK(owner.bench.said<PlanOffer>(3)[0].plan == next.hash);
}

TEST_CASE("an heir that has no room for more keeps its own tiles, and another one inherits") {
  RecoveryBench owner;
  const LoadedPlan first = owner.without(2, {{1}}), second = owner.without(2, {{3}});
  owner.lose(2);
  owner.bench.load(first);
  owner.decline(1, first);
  CHECK(owner.count(Report::Kind::frame_aborted) == 0);
  REQUIRE(owner.bench.said<PlanOffer>(3).size() == 1);
  CHECK(owner.bench.said<PlanOffer>(3)[0].plan == second.hash);
  owner.bench.load(second);
  owner.say_ready(1, second);
  owner.say_ready(3, second);
  CHECK(owner.opened(1) == std::vector<FrameKey>{owner.key(1)});
}

TEST_CASE("a spare that has no room for a stand-in without a tile for it may inherit in another") {
  RecoveryBench owner;
  owner.lose(2);
  owner.bench.load(owner.without(2, {{1}}));
  owner.decline(3, owner.without(2, {{1}}));
  owner.lose(1);
  const LoadedPlan next =
      trusted_plan(owner.model, shingle::stand_in(owner.wanted.plan, {{{1}, {{3}}}, {{2}, {{3}}}}));
  REQUIRE(owner.bench.said<PlanOffer>(3).size() == 1);
  CHECK(owner.bench.said<PlanOffer>(3)[0].plan == next.hash);
}

TEST_CASE("an heir that had no room is asked again after a while, and nobody waits for its word") {
  RecoveryBench owner;
  const LoadedPlan first = owner.without(2, {{1}}), second = owner.without(2, {{3}});
  owner.lose(2);
  owner.bench.load(first);
  owner.decline(1, first);
  owner.bench.load(second);
  for (const uint32_t peer : {1U, 3U}) owner.say_ready(peer, second);
  const auto asked = [&] {
    const auto offers = owner.bench.said<PlanOffer>(1);
    return std::any_of(offers.begin(), offers.end(),
                       [&](const PlanOffer& offer) { return offer.plan == first.hash; });
  };
  REQUIRE(owner.pass(60, {1, 3}, asked));
  // While it thinks about that, the next frame takes the other stand-in
  for (const uint32_t peer : {1U, 3U}) owner.bench.hear(peer, Grant{owner.key(1)});
  owner.bench.give(FrameCaptured{2, owner.wanted.hash, seconds(1)});
  REQUIRE(owner.bench.said<FrameOpen>(1).size() == 1);
  CHECK(owner.bench.said<FrameOpen>(1)[0].plan == second.hash);
  for (const uint32_t peer : {1U, 3U}) owner.bench.hear(peer, Grant{owner.key(0, 2)});
  // When it has room, it is an heir again
  owner.say_ready(1, first);
  owner.finish(second, owner.key(1));
  owner.bench.give(FrameCaptured{3, owner.wanted.hash, seconds(1)});
  REQUIRE(owner.bench.said<FrameOpen>(1).size() == 1);
  CHECK(owner.bench.said<FrameOpen>(1)[0].plan == first.hash);
}

TEST_CASE("where nobody has room for more, the frame ends with everybody's numbers") {
  RecoveryBench owner;
  owner.lose(2);
  owner.bench.load(owner.without(2, {{1}}));
  owner.decline(1, owner.without(2, {{1}}));
  owner.bench.load(owner.without(2, {{3}}));
  owner.decline(3, owner.without(2, {{3}}));
  // At first the lost home may be starting anew
  const auto aborted = [&] { return owner.count(Report::Kind::frame_aborted) == 1; };
  std::vector<uint32_t> asked;
  REQUIRE(owner.pass(60, {1, 3}, [&] {
    for (const uint32_t peer : {1U, 3U})
      if (!owner.bench.said<PlanOffer>(peer).empty()) asked.push_back(peer);
    return !asked.empty();
  }));
  CHECK(asked == std::vector<uint32_t>{1, 3});  // once more, each for its own stand-in
  for (const uint32_t peer : asked) {
    CHECK_FALSE(aborted());
    owner.decline(peer, owner.without(2, {{peer}}));
  }
  REQUIRE(aborted());
  const std::string sentence = owner.bench.reports(Report::Kind::frame_aborted)[0].sentence;
  for (const char* part : {"node 2 was lost", "node 1 cannot run it: it may use 16 MiB",
                           "node 3 cannot run it: it may use 16 MiB"})
    CHECK_MESSAGE(sentence.find(part) != std::string::npos, sentence);
  CHECK(sentence.find("18 MiB; plan ") != std::string::npos);
}

}  // namespace
}  // namespace shingle
