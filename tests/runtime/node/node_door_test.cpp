// The door: a message that could never have been right is counted, reported and not acted on. A
// late message does no harm.
#include <doctest/doctest.h>

#include "node_bench.hpp"

namespace shingle {
namespace {

// Node 1 is a home of a plan of owner 0; node 2 is the other home.
struct HomeBench {
  Model model = bench_model();
  LoadedPlan plan = trusted_plan(model, bench_plan(model, {1, 2}));
  NodeBench bench{bench_config(1, 4)};
  FrameKey key{NodeId{0}, 1, 7};

  HomeBench() {
    for (const uint32_t peer : {0U, 2U, 3U}) bench.join(peer, peer == 0 ? 0 : 1);
    bench.hear(0, PlanOffer{plan.hash, model.hash, "text"});
    bench.load(plan);
    CHECK(bench.said<PlanReady>(0).size() == 1);
    bench.hear(0, FrameOpen{key, plan.hash, std::chrono::seconds(1)});
    CHECK(bench.said<Grant>(0).size() == 1);
  }

  // The frame's strip for this node.
  Piece crop() const {
    for (const StripId id : plan.routes.from_frame)
      if (plan.routes.strips[id.value].destination == NodeId{1}) return piece(id.value);
    return {};
  }
  int64_t bytes(const Piece& piece) const { return plan.routes.strips[piece.index].bytes; }
  Piece piece(uint32_t index) const {
    return {.key = key,
            .plan = prefix64(plan.hash),
            .role = Piece::Role::promised,
            .tile = {},
            .attempt = 0,
            .index = index};
  }
};

TEST_CASE("a right strip is pasted and its tile computed") {
  HomeBench home;
  const Piece crop = home.crop();
  home.bench.hear(0, crop, home.bytes(crop));
  CHECK(home.bench.all<Paste>().size() == 1);
  CHECK(home.bench.all<Compute>().size() == 1);
  CHECK(home.bench.refused() == 0);
}

TEST_CASE("a second copy of a strip, or one of a frame that is over, changes nothing") {
  HomeBench home;
  const Piece crop = home.crop();
  home.bench.hear(0, crop, home.bytes(crop));
  home.bench.hear(0, crop, home.bytes(crop));
  CHECK(home.bench.all<Paste>().empty());
  Piece late = crop;
  late.key.frame = 3;
  home.bench.hear(0, late, home.bytes(late));
  CHECK(home.bench.all<Paste>().empty());
  CHECK(home.bench.refused() == 0);
}

TEST_CASE(
    "strips with a wrong size, number, plan, sender or receiver are refused with a sentence") {
  HomeBench home;
  const Piece crop = home.crop();
  const auto refused = [&](uint32_t from, const Piece& piece, int64_t bytes, const char* why) {
    const uint64_t before = home.bench.refused();
    home.bench.hear(from, piece, bytes);
    CHECK(home.bench.refused() == before + 1);
    CHECK(home.bench.all<Paste>().empty());
    const std::vector<Report> reports = home.bench.reports(Report::Kind::message_refused);
    REQUIRE(reports.size() == 1);
    CHECK(reports[0].sentence ==
          "node " + std::to_string(from) + " sent a Piece that " + why + ".");
  };
  refused(0, crop, home.bytes(crop) - 1, "has the wrong size");
  refused(2, crop, home.bytes(crop), "should come from another node");
  Piece beyond = home.piece(static_cast<uint32_t>(home.plan.routes.strips.size()));
  refused(0, beyond, 4, "has a number that its plan does not have");
  Piece other_plan = crop;
  other_plan.plan ^= 1;
  refused(0, other_plan, home.bytes(crop), "belongs to another plan than its frame");
  for (const StripId id : home.plan.routes.from_frame)
    if (home.plan.routes.strips[id.value].destination == NodeId{2})
      refused(0, home.piece(id.value), home.plan.routes.strips[id.value].bytes,
              "is meant for another node");
}

TEST_CASE("a frame is opened by its owner only, once, one request at a time") {
  HomeBench home;
  const auto refusals = [&](uint32_t from, FrameKey key) {
    const uint64_t before = home.bench.refused();
    home.bench.hear(from, FrameOpen{key, home.plan.hash, {}});
    return home.bench.refused() - before;
  };
  CHECK(refusals(0, home.key) == 1);           // twice
  CHECK(refusals(2, {NodeId{0}, 1, 8}) == 1);  // in another's name
  CHECK(refusals(0, {NodeId{0}, 2, 8}) == 1);  // of another life
  for (uint64_t frame = 8; frame < 15; ++frame) CHECK(refusals(0, {NodeId{0}, 1, frame}) == 0);
  CHECK(refusals(0, {NodeId{0}, 1, 15}) == 0);  // waits for a slot
  CHECK(home.bench.said<Grant>(0).empty());
  CHECK(refusals(0, {NodeId{0}, 1, 16}) == 1);  // a second may not
}

TEST_CASE("a frame on a plan that is no longer here is answered, not left waiting") {
  HomeBench home;
  PlanHash unknown;
  unknown.bytes[0] = 1;
  home.bench.hear(0, FrameOpen{{NodeId{0}, 1, 9}, unknown, {}});
  const std::vector<PlanReady> answers = home.bench.said<PlanReady>(0);
  REQUIRE(answers.size() == 1);
  CHECK_FALSE(answers[0].ready);
  CHECK(answers[0].why_not == "it no longer holds the plan");
  CHECK(answers[0].again);  // it may have room when it is asked again
}

TEST_CASE("a connection of a node that the cluster does not know counts for nothing") {
  HomeBench home;
  CHECK(home.bench.give(PeerSeen{NodeId{9}}).empty());
  CHECK(home.bench.give(PeerLost{NodeId{9}, "its connection closed"}).empty());
}

TEST_CASE("strangers, unasked loans and overlong sentences are refused") {
  HomeBench home;
  const auto refusals = [&](uint32_t from, const Message& message, int64_t payload = 0) {
    const uint64_t before = home.bench.refused();
    home.bench.hear(from, message, payload);
    return home.bench.refused() - before;
  };
  CHECK(refusals(99, Beat{}) == 1);
  CHECK(refusals(2, StealReply{Assign{home.key, home.plan.hash, TileId{0}, 0}}) == 1);
  CHECK(refusals(2, Beat{}, 10) == 1);
  CHECK(refusals(0, StealRequest{}) == 1);  // it has no slot to compute in
  CHECK(refusals(2, StealRequest{std::vector<uint64_t>(max_plans + 1)}) == 1);
  CHECK(refusals(2, PlanReady{home.plan.hash, false, std::string(5000, 'x')}) == 1);
}

TEST_CASE("a peer of another protocol version is told apart and never joined") {
  NodeBench bench(bench_config(0, 2));
  bench.give(PeerSeen{NodeId{1}});
  bench.hear(1, Hello{.version = protocol_version + 1,
                      .life = 1,
                      .session = 1,
                      .answers = 1,
                      .credit_bytes = 1,
                      .name = {},
                      .arithmetic_class = {},
                      .compute_slots = 1});
  CHECK(bench.refused() == 1);
  CHECK(bench.reports(Report::Kind::peer_joined).empty());
  CHECK(bench.reports(Report::Kind::message_refused)[0].sentence ==
        "node 1 sent a Hello that speaks protocol version " + std::to_string(protocol_version + 1) +
            ", this node speaks " + std::to_string(protocol_version) + ".");
}

TEST_CASE("what a peer says before its hello, or of an earlier life, is not heard") {
  HomeBench home;
  NodeBench fresh(bench_config(1, 4));
  fresh.hear(0, FrameOpen{home.key, home.plan.hash, {}});
  CHECK(fresh.said<Grant>(0).empty());
  CHECK(fresh.said<Hello>(0).size() == 1);  // it does not know that we know nothing of it
  CHECK(fresh.refused() == 0);

  Envelope old;
  old.from = NodeId{0};
  old.life = 9;
  home.bench.give(MessageReceived{old, FrameClosed{home.key, true}, 0});
  CHECK(home.bench.all<ReleaseAll>().empty());
}

TEST_CASE("a new life takes the old one's place, whichever has the higher number") {
  for (const uint64_t life : {0U, 9U}) {
    CAPTURE(life);
    HomeBench home;
    const Piece crop = home.crop();
    home.bench.hear(0, crop, home.bytes(crop));
    REQUIRE(home.bench.all<Compute>().size() == 1);  // so the old life's frame is kept a while
    // When the owner is there again and opens a frame of that number
    Envelope said;
    said.from = NodeId{0};
    said.life = life;
    const auto hear = [&](Message message, int64_t bytes = 0) {
      home.bench.give(MessageReceived{said, std::move(message), bytes});
    };
    hear(Hello{.life = life,
               .session = 1,
               .answers = 1,
               .credit_bytes = 1 << 20,
               .name = {},
               .arithmetic_class = {},
               .compute_slots = 0});
    CHECK(home.bench.reports(Report::Kind::peer_lost).size() == 1);
    REQUIRE(home.bench.said<Hello>(0).size() == 1);
    hear(Hello{.life = life,
               .session = 1,
               .answers = home.bench.said<Hello>(0)[0].session,
               .credit_bytes = 1 << 20,
               .name = {},
               .arithmetic_class = {},
               .compute_slots = 0});
    FrameKey key = home.key;
    key.life = life;
    hear(PlanOffer{home.plan.hash, home.model.hash, "text"});
    hear(FrameOpen{key, home.plan.hash, std::chrono::seconds(1)});
    CHECK(home.bench.said<Grant>(0).size() == 1);
    // Then a strip of the old frame is pasted nowhere, one of the new frame into its own canvas
    hear(crop, home.bytes(crop));
    CHECK(home.bench.all<Paste>().empty());
    Piece mine = crop;
    mine.key = key;
    hear(mine, home.bytes(mine));
    REQUIRE(home.bench.all<Paste>().size() == 1);
    CHECK(home.bench.all<Paste>()[0].target.frame == key);
    // And its watermark leaves it alone until it is closed
    said.closed_below = key.frame;
    hear(Beat{});
    CHECK(home.bench.all<ReleaseAll>().empty());
    said.closed_below = key.frame + 1;
    hear(Beat{});
    home.bench.give(TileComputed{home.key, TileId{0}, 0, Place::home, {}});
    CHECK(home.bench.node().idle());
  }
}

TEST_CASE("only refusals worth reading are reported") {
  HomeBench home;
  size_t reported = 0;
  for (int i = 0; i < 500; ++i) {
    home.bench.hear(2, Beat{}, 1);
    reported += home.bench.reports(Report::Kind::message_refused).size();
  }
  CHECK(home.bench.refused() == 500);
  CHECK(reported == 100);
}

TEST_CASE("a peer that begins session after session is told of now and then") {
  HomeBench home;
  size_t told = 0;
  std::string last;
  const auto count = [&] {
    for (const auto kind : {Report::Kind::peer_lost, Report::Kind::peer_joined})
      for (const Report& report : home.bench.reports(kind)) ++told, last = report.sentence;
  };
  const auto flood = [&](uint32_t from, uint32_t to) {
    for (uint32_t session = from; session < to; ++session) {
      Hello hello;
      hello.life = 1;
      hello.session = hello.answers = session;
      hello.credit_bytes = 1;
      home.bench.hear(2, hello);
      count();
    }
  };
  flood(2, 2000);
  CHECK(told >= 8);
  CHECK(told <= 20);
  CHECK(last.find("is not told") != std::string::npos);
  // Others are told of as ever, and this one again when it has calmed down.
  told = 0;
  home.bench.give(PeerLost{NodeId{0}, "it closed the connection"});
  count();
  CHECK(told == 1);
  home.bench.wait(std::chrono::seconds(11));
  flood(2000, 2001);
  CHECK(told >= 2);
}

}  // namespace
}  // namespace shingle
