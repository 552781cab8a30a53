// When an owner offers a plan again, with or without its text, and in which order.
#include <doctest/doctest.h>

#include <algorithm>

#include "recovery_bench.hpp"

namespace shingle {
namespace {

std::vector<std::string> texts_to(const Owner& owner, uint32_t peer) {
  std::vector<std::string> found;
  for (const PlanOffer& offer : owner.bench.said<PlanOffer>(peer))
    if (offer.plan == owner.wanted.hash) found.push_back(offer.text);
  return found;
}

PlanReady has_it_not(const PlanHash& plan) {
  return {.plan = plan, .ready = false, .why_not = "it gave it up", .lost = {}, .again = true};
}

TEST_CASE("a peer that was lost for a moment is offered the plan again without its text") {
  RecoveryBench owner;
  owner.lose(2);
  owner.bench.join(2, 1, "", 2);
  CHECK(texts_to(owner, 2) == std::vector<std::string>{""});
  owner.say_ready(2, owner.wanted);
  // It had to give the plan up meanwhile: the next time it gets the text
  owner.bench.hear(2, has_it_not(owner.wanted.hash));
  CHECK(texts_to(owner, 2).empty());
  CHECK(owner.pass(60, {1, 2, 3}, [&] { return !texts_to(owner, 2).empty(); }));
  CHECK(texts_to(owner, 2) == std::vector<std::string>{print(owner.wanted.plan)});
}

TEST_CASE("a home that gave a plan up is asked again at once where frames want it") {
  RecoveryBench owner;
  const auto asked = [&] { return !texts_to(owner, 2).empty(); };
  owner.bench.hear(2, has_it_not(owner.wanted.hash));
  REQUIRE(owner.pass(2, {1, 2, 3}, asked));
  CHECK(texts_to(owner, 2) == std::vector<std::string>{print(owner.wanted.plan)});
  SUBCASE("and a while later if it has no room") {
    owner.bench.hear(2, has_it_not(owner.wanted.hash));
    CHECK_FALSE(owner.pass(48, {1, 2, 3}, asked));
    CHECK(owner.pass(3, {1, 2, 3}, asked));
  }
  SUBCASE("but not again within a while: another owner may want its room as much") {
    owner.say_ready(2, owner.wanted);
    owner.bench.hear(2, has_it_not(owner.wanted.hash));
    CHECK_FALSE(owner.pass(48, {1, 2, 3}, asked));
    CHECK(owner.pass(3, {1, 2, 3}, asked));
    owner.say_ready(2, owner.wanted);
    CHECK_FALSE(owner.pass(50, {1, 2, 3}, asked));
    owner.bench.hear(2, has_it_not(owner.wanted.hash));
    CHECK(owner.pass(2, {1, 2, 3}, asked));
  }
}

TEST_CASE("a home that gave a plan up and says so twice is asked again at once") {
  RecoveryBench owner;
  owner.bench.hear(2, has_it_not(owner.wanted.hash));
  owner.bench.hear(2, has_it_not(owner.wanted.hash));  // to the FrameOpen that was on its way
  CHECK(owner.pass(2, {1, 2, 3}, [&] { return !texts_to(owner, 2).empty(); }));
}

TEST_CASE("a home that gave a stand-in up is asked again at once where frames want it") {
  RecoveryBench owner;
  const LoadedPlan stand_in = owner.without(2, {{1}});
  owner.lose(2);
  owner.lose(3);
  owner.bench.load(stand_in);
  owner.say_ready(1, stand_in);
  owner.bench.hear(1, Grant{owner.key(1)});
  owner.bench.hear(1, has_it_not(stand_in.hash));
  CHECK(owner.count(Report::Kind::frame_aborted) == 0);
  CHECK(owner.pass(2, {1}, [&] { return owner.offered(1, stand_in); }));
}

TEST_CASE("a home that gave a plan up is asked again although it hangs with a stand-in for it") {
  RecoveryBench owner;
  const LoadedPlan stand_in = owner.without(2, {{1}});
  owner.lose(2);
  owner.bench.load(stand_in);
  owner.say_ready(1, stand_in);
  owner.bench.hear(1, has_it_not(owner.wanted.hash));
  owner.bench.hear(1, PlanReady{.plan = stand_in.hash, .why_not = "it hangs", .hangs = true});
  // It will say of the stand-in that the hang is over, but nothing of the plan that it lacks
  CHECK(owner.pass(60, {1, 3}, [&] { return !texts_to(owner, 1).empty(); }));
}

TEST_CASE("a home whose weights are damaged for good is replaced, whoever heard of it before") {
  Owner owner;
  owner.say_ready(1, owner.wanted);
  owner.say_ready(3, owner.wanted);
  owner.bench.hear(2, PlanReady{.plan = owner.wanted.hash,
                                .ready = false,
                                .why_not = "the file is another one",
                                .lost = {},
                                .again = false,
                                .hangs = false,
                                .damaged = true});
  owner.capture();
  CHECK(owner.count(Report::Kind::frame_aborted) == 0);
  CHECK(owner.offered(1, owner.stand_in({{NodeId{2}, {NodeId{1}}}})));
  CHECK(owner.pass(52, {1, 2, 3}, [&] { return !texts_to(owner, 2).empty(); }));
}

TEST_CASE("a home that gave a plan up is asked at the next frame of it, or a while later") {
  Owner owner;
  owner.all_ready();
  const auto asked = [&] { return !texts_to(owner, 2).empty(); };
  owner.bench.hear(2, has_it_not(owner.wanted.hash));
  CHECK_FALSE(owner.pass(30, {1, 2, 3}, asked));
  SUBCASE("a frame") {
    owner.capture();
    CHECK(owner.pass(2, {1, 2, 3}, asked));
  }
  SUBCASE("none") { CHECK(owner.pass(22, {1, 2, 3}, asked)); }
}

// A home that has lost another home does not answer an offer, so its owner hears nothing about the
// text.
TEST_CASE("a life that was sent the text and has not answered is not sent it again") {
  Owner owner;
  for (uint32_t session = 2; session < 5; ++session) {
    owner.lose(2);
    owner.bench.join(2, 1, "", session);
    CHECK(texts_to(owner, 2) == std::vector<std::string>{""});
  }
}

TEST_CASE("a node that comes back is offered what the application wants before stand-ins") {
  int before_by_hash = 0;  // stand-ins that would come first by their hash
  for (const int32_t side : {16, 20, 24, 28, 32, 36}) {
    CAPTURE(side);
    Owner owner({}, side);
    owner.all_ready();
    owner.capture();
    owner.lose(2);
    owner.bench.join(2, 1, "", 2);
    const auto offers = owner.bench.said<PlanOffer>(2);
    REQUIRE(offers.size() > 1);
    CHECK(offers[0].plan == owner.wanted.hash);
    for (const PlanOffer& offer : offers) before_by_hash += offer.plan < owner.wanted.hash ? 1 : 0;
  }
  CHECK(before_by_hash > 0);
}

TEST_CASE("a new life of a peer is sent the text, whatever the one before it had") {
  RecoveryBench owner;
  owner.lose(2);
  owner.bench.give(PeerSeen{NodeId{2}});
  Envelope envelope;
  envelope.from = NodeId{2};
  envelope.life = 2;
  const Hello hello{.life = 2,
                    .session = 1,
                    .answers = 2,
                    .credit_bytes = 1 << 20,
                    .name = "",
                    .arithmetic_class = "",
                    .compute_slots = 1};
  owner.bench.give(MessageReceived{envelope, hello, 0});
  CHECK(texts_to(owner, 2) == std::vector<std::string>{print(owner.wanted.plan)});
}

TEST_CASE("a text that was lost with its connection is sent at once when its peer lacks it") {
  Owner owner;
  owner.lose(2);
  owner.bench.join(2, 1, "", 2);
  owner.bench.hear(2, has_it_not(owner.wanted.hash));
  CHECK(texts_to(owner, 2) == std::vector<std::string>{print(owner.wanted.plan)});
  CHECK(owner.count(Report::Kind::plan_refused) == 0);
  SUBCASE("and only once: one that does not take it is asked a while later") {
    owner.bench.hear(2, has_it_not(owner.wanted.hash));
    CHECK(texts_to(owner, 2).empty());
    const auto asked = [&] { return !texts_to(owner, 2).empty(); };
    CHECK_FALSE(owner.pass(49, {1, 2, 3}, asked));
    REQUIRE(owner.pass(1, {1, 2, 3}, asked));
    CHECK(texts_to(owner, 2) == std::vector<std::string>{print(owner.wanted.plan)});
  }
  SUBCASE("and it is ready as any other") {
    owner.say_ready(1, owner.wanted);
    owner.say_ready(2, owner.wanted);
    CHECK(owner.count(Report::Kind::plan_ready) == 1);
  }
}

TEST_CASE("a plan offered without its text to a node that has it not is refused for the moment") {
  NodeBench home(bench_config(1, 3));
  home.join(0);
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1}));
  home.hear(0, PlanOffer{plan.hash, model.hash, ""});
  CHECK(home.all<LoadPlan>().empty());
  REQUIRE(home.said<PlanReady>(0).size() == 1);
  CHECK_FALSE(home.said<PlanReady>(0)[0].ready);
  CHECK(home.said<PlanReady>(0)[0].again);
}

}  // namespace
}  // namespace shingle
