// An owner on the bench: offers, answers, opening in order.
#include <doctest/doctest.h>

#include "node_bench.hpp"
#include "runtime/node/node_link.hpp"

namespace shingle {
namespace {

using std::chrono::seconds;

// Node 0 owns; nodes 1 and 2 are homes; node 3 only computes what it borrows.
struct OwnerBench {
  Model model;
  LoadedPlan plan = trusted_plan(model, bench_plan(model, {1, 2}));
  NodeBench bench;

  explicit OwnerBench(NodeLimits limits = {}, int32_t side = 16)
      : model(bench_model(side)), bench(config(limits)) {
    for (const uint32_t peer : {1U, 2U, 3U}) bench.join(peer);
  }
  static NodeConfig config(const NodeLimits& limits) {
    NodeConfig config = bench_config(0, 4);
    config.limits = limits;
    config.limits.compute_slots = 0;
    return config;
  }
  void propose() { bench.give(PlanProposed{plan.hash, model.hash, "text"}); }
  void make_ready() {
    propose();
    bench.load(plan);
    bench.hear(1, PlanReady{plan.hash, true, {}});
    bench.hear(2, PlanReady{plan.hash, true, {}});
  }
  void capture(uint64_t frame) { bench.give(FrameCaptured{frame, plan.hash, seconds(1)}); }
  FrameKey key(uint64_t frame) const { return {NodeId{0}, 1, frame}; }
};

TEST_CASE("a proposed plan is loaded and offered to everybody who computes") {
  OwnerBench owner;
  owner.propose();
  CHECK(owner.bench.all<LoadPlan>().size() == 1);
  for (const uint32_t peer : {1U, 2U, 3U}) CHECK(owner.bench.said<PlanOffer>(peer).size() == 1);
}

TEST_CASE("a peer that joins later gets the offer too") {
  OwnerBench owner;
  owner.propose();
  owner.bench.give(PeerLost{NodeId{2}, "gone"});
  owner.bench.give(PeerSeen{NodeId{2}});
  owner.bench.hear(2, Hello{.version = protocol_version,
                            .life = 1,
                            .session = 2,
                            .answers = 2,
                            .credit_bytes = 1 << 20,
                            .name = {},
                            .arithmetic_class = {},
                            .compute_slots = 1});
  CHECK(owner.bench.said<PlanOffer>(2).size() == 1);
}

TEST_CASE("the plan is ready when it is loaded here and every home has said so") {
  OwnerBench owner;
  owner.propose();
  owner.bench.hear(1, PlanReady{owner.plan.hash, true, {}});
  owner.bench.load(owner.plan);
  CHECK(owner.bench.reports(Report::Kind::plan_ready).empty());
  owner.bench.hear(2, PlanReady{owner.plan.hash, true, {}});
  CHECK(owner.bench.reports(Report::Kind::plan_ready).size() == 1);
}

TEST_CASE("a thief that lacks the model spoils nothing, a home that lacks it does") {
  OwnerBench owner;
  owner.propose();
  owner.bench.load(owner.plan);
  owner.bench.hear(1, PlanReady{owner.plan.hash, true, {}});
  owner.bench.hear(3, PlanReady{owner.plan.hash, false, "no model"});
  CHECK(owner.bench.reports(Report::Kind::plan_refused).empty());
  owner.bench.hear(2, PlanReady{owner.plan.hash, false, "no model"});
  CHECK(owner.bench.reports(Report::Kind::plan_refused).size() == 1);
  owner.capture(1);
  CHECK(owner.bench.reports(Report::Kind::frame_aborted).size() == 1);
}

TEST_CASE("homes are asked in ascending order, each after the one before has granted") {
  OwnerBench owner;
  owner.make_ready();
  owner.capture(1);
  CHECK(owner.bench.said<FrameOpen>(1).size() == 1);
  CHECK(owner.bench.said<FrameOpen>(2).empty());
  owner.bench.hear(2, Grant{owner.key(1)});  // unasked: ignored
  CHECK(owner.bench.said<FrameOpen>(2).empty());
  owner.bench.hear(1, Grant{owner.key(1)});
  CHECK(owner.bench.said<FrameOpen>(2).size() == 1);
  CHECK(owner.bench.said<Piece>(1).empty());
  owner.bench.hear(2, Grant{owner.key(1)});
  CHECK(owner.bench.said<Piece>(1).size() == 1);
  CHECK(owner.bench.said<Piece>(2).size() == 1);
}

TEST_CASE("the next frame opens while the first runs, but no more than may be open") {
  OwnerBench owner({.open_frames = 2, .waiting_frames = 5});
  owner.make_ready();
  for (uint64_t frame = 1; frame <= 3; ++frame) owner.capture(frame);
  owner.bench.hear(1, Grant{owner.key(1)});
  owner.bench.hear(2, Grant{owner.key(1)});
  REQUIRE(owner.bench.said<FrameOpen>(1).size() == 1);
  CHECK(owner.bench.said<FrameOpen>(1)[0].key == owner.key(2));
  owner.bench.hear(1, Grant{owner.key(2)});
  owner.bench.hear(2, Grant{owner.key(2)});
  CHECK(owner.bench.said<FrameOpen>(1).empty());
}

// Another model, all of it at node 3, beside the first one's plan.
struct TwoModels : OwnerBench {
  Model second_model = bench_model(24);
  LoadedPlan second = trusted_plan(second_model, bench_plan(second_model, {3}));

  explicit TwoModels(NodeLimits limits) : OwnerBench(limits) {
    propose();
    bench.load(plan);
    bench.hear(1, PlanReady{plan.hash, true, {}});  // node 2 has not answered
    bench.give(PlanProposed{second.hash, second_model.hash, "text"});
    bench.load(second);
    bench.hear(3, PlanReady{second.hash, true, {}});
  }
  void capture_second(uint64_t frame) { bench.give(FrameCaptured{frame, second.hash, seconds(1)}); }
  void finish_second(uint64_t frame) {
    bench.hear(3, Grant{key(frame)});
    for (const StripId id : second.routes.to_owner)
      bench.hear(3,
                 Piece{key(frame), prefix64(second.hash), Piece::Role::promised, {}, 0, id.value},
                 second.routes.strips[id.value].bytes);
  }
};

TEST_CASE("a frame whose plan is not ready does not hold up another model's, nor its result") {
  TwoModels owner({.open_frames = 1, .waiting_frames = 5});
  owner.capture(1);
  CHECK(owner.bench.said<FrameOpen>(1).empty());
  for (const uint64_t frame : {2U, 3U}) {
    CAPTURE(frame);
    owner.capture_second(frame);
    REQUIRE(owner.bench.said<FrameOpen>(3).size() == 1);
    owner.finish_second(frame);
    REQUIRE(owner.bench.all<Deliver>().size() == 1);
    CHECK(owner.bench.all<Deliver>()[0].key == owner.key(frame));
  }
  owner.bench.hear(2, PlanReady{owner.plan.hash, true, {}});
  CHECK(owner.bench.said<FrameOpen>(1).size() == 1);
}

TEST_CASE("of two models whose frames can be opened the earlier frame is opened first") {
  TwoModels owner({.open_frames = 1, .waiting_frames = 5});
  owner.capture_second(1);
  owner.capture(2);
  owner.capture_second(3);
  owner.bench.hear(2, PlanReady{owner.plan.hash, true, {}});
  owner.finish_second(1);
  REQUIRE(owner.bench.said<FrameOpen>(1).size() == 1);
  CHECK(owner.bench.said<FrameOpen>(1)[0].key == owner.key(2));
  CHECK(owner.bench.said<FrameOpen>(3).empty());
}

// It could not be delivered before the earlier frame, and would keep the only place for ever.
TEST_CASE("a frame whose plan is not ready holds up those behind it for other plans of its model") {
  OwnerBench owner({.open_frames = 1, .waiting_frames = 5});
  const LoadedPlan other = trusted_plan(owner.model, bench_plan(owner.model, {3}));
  owner.propose();
  owner.bench.load(owner.plan);
  owner.bench.hear(1, PlanReady{owner.plan.hash, true, {}});  // node 2 has not answered
  owner.bench.give(PlanProposed{other.hash, owner.model.hash, "text"});
  owner.bench.load(other);
  owner.bench.hear(3, PlanReady{other.hash, true, {}});
  owner.capture(1);
  owner.bench.give(FrameCaptured{2, other.hash, seconds(1)});
  CHECK(owner.bench.said<FrameOpen>(3).empty());
  owner.bench.hear(2, PlanReady{owner.plan.hash, true, {}});
  CHECK(owner.bench.said<FrameOpen>(1).size() == 1);
}

TEST_CASE("an aborted frame is closed at the homes that were asked, and at no other") {
  OwnerBench owner({.attempts = 1});
  owner.make_ready();
  owner.capture(1);
  owner.bench.hear(1, Failed{Failed::Kind::at_home, owner.key(1), TileId{0}, 0, "no"});
  CHECK(owner.bench.said<FrameClosed>(1).size() == 1);
  CHECK(owner.bench.said<FrameClosed>(2).empty());
  REQUIRE(owner.bench.reports(Report::Kind::frame_aborted).size() == 1);
  CHECK(owner.bench.reports(Report::Kind::frame_aborted)[0].sentence ==
        "frame 1 was aborted: node 1 could not compute tile 0: no");
}

// Frames 1 and 2 run; all outputs of frame 2 are here, but frame 1 is delivered first.
struct TwoFrames : OwnerBench {
  TwoFrames() : OwnerBench({.open_frames = 2}) {
    make_ready();
    for (const uint64_t frame : {1U, 2U}) {
      capture(frame);
      for (const uint32_t home : {1U, 2U}) bench.hear(home, Grant{key(frame)});
    }
    bring_outputs(2);
    CHECK(bench.said<FrameClosed>(2).size() == 1);
  }
  void bring_outputs(uint64_t frame) {
    for (const StripId id : plan.routes.to_owner) {
      const Strip& strip = plan.routes.strips[id.value];
      bench.hear(tile(plan.plan, *strip.producer).home.value,
                 Piece{key(frame), prefix64(plan.hash), Piece::Role::promised, {}, 0, id.value},
                 strip.bytes);
    }
  }
};

TEST_CASE("a home that says it failed at a complete frame's tile does not have it begun again") {
  TwoFrames owner;
  owner.bench.hear(1, Failed{Failed::Kind::at_home, owner.key(2), TileId{0}, 0, "no"});
  CHECK(owner.bench.reports(Report::Kind::frame_reissued).empty());
  owner.bring_outputs(1);
  CHECK(owner.bench.all<Deliver>().size() == 2);
}

TEST_CASE(
    "a tile that comes back late, or that a late thief need not compute, is no home's fault") {
  using Kind = Failed::Kind;
  for (const Kind kind : {Kind::given_back, Kind::voided}) {
    TwoFrames owner;
    owner.bench.hear(1, Failed{kind, owner.key(1), TileId{0}, 0, "it was late"});
    CHECK(owner.bench.reports(Report::Kind::frame_reissued).empty());
    CHECK(owner.bench.reports(Report::Kind::plan_impaired).empty());
  }
}

TEST_CASE("nobody can say that another home failed at its tile, or at one that there is not") {
  TwoFrames owner;
  owner.bench.hear(2, Failed{Failed::Kind::at_home, owner.key(1), TileId{0}, 0, "no"});
  owner.bench.hear(3, Failed{Failed::Kind::at_home, owner.key(1), TileId{0}, 0, "no"});
  owner.bench.hear(1, Failed{Failed::Kind::at_home, owner.key(1), TileId{99}, 0, "no"});
  CHECK(owner.bench.refused() == 3);
  owner.bring_outputs(1);
  CHECK(owner.bench.all<Deliver>().size() == 2);
}

TEST_CASE("plans that fail to load take no room from the one that runs") {
  OwnerBench owner;
  owner.make_ready();
  for (uint8_t i = 0; i < 20; ++i) {
    PlanHash other;
    other.bytes[31] = static_cast<uint8_t>(i + 1);
    owner.bench.wait(std::chrono::milliseconds(1));
    owner.bench.give(PlanProposed{other, owner.model.hash, "text"});
    owner.bench.give(PlanLoaded{other, Error{"no such plan"}});
  }
  owner.capture(1);
  CHECK(owner.bench.said<FrameOpen>(1).size() == 1);
}

TEST_CASE("a plan that names a node outside the cluster is refused with a sentence") {
  OwnerBench owner;
  const LoadedPlan outside = trusted_plan(owner.model, bench_plan(owner.model, {1, 9}));
  owner.bench.give(PlanProposed{outside.hash, owner.model.hash, "text"});
  owner.bench.load(outside);
  REQUIRE(owner.bench.reports(Report::Kind::plan_refused).size() == 1);
  CHECK(owner.bench.reports(Report::Kind::plan_refused)[0].sentence ==
        "plan " + short_name(outside.hash) +
            " was refused: it gives tiles to node 9, which is not in the cluster");
}

TEST_CASE("a refusal that came before the plan was read is reported once it is read") {
  OwnerBench owner;
  const LoadedPlan plan = trusted_plan(owner.model, bench_plan(owner.model, {1, 2}));
  owner.bench.give(PlanProposed{plan.hash, owner.model.hash, "text"});
  owner.bench.hear(1, PlanReady{plan.hash, false, "it has no such model"});
  CHECK(owner.bench.reports(Report::Kind::plan_refused).empty());
  owner.bench.load(plan);
  const std::vector<Report> refused = owner.bench.reports(Report::Kind::plan_refused);
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].node == NodeId{1});
  CHECK(refused[0].sentence.find("cannot run it: it has no such model") != std::string::npos);
}

TEST_CASE("an early refusal of a node that is no home of the plan is not reported") {
  OwnerBench owner;
  const LoadedPlan plan = trusted_plan(owner.model, bench_plan(owner.model, {2}));
  owner.bench.give(PlanProposed{plan.hash, owner.model.hash, "text"});
  owner.bench.hear(1, PlanReady{plan.hash, false, "it has no such model"});
  owner.bench.load(plan);
  CHECK(owner.bench.reports(Report::Kind::plan_refused).empty());
}

TEST_CASE("a port's credit bounds what is under way, and a silent peer holds half of it at most") {
  // Given a picture much larger than that
  OwnerBench owner({}, 300);
  owner.make_ready();
  owner.capture(1);
  owner.bench.hear(1, Grant{owner.key(1)});
  int64_t sent[3] = {};
  const auto note = [&] {
    for (const uint32_t home : {1U, 2U})
      for (const Piece& piece : owner.bench.said<Piece>(home))
        sent[home] += owner.plan.routes.strips[piece.index].bytes;
  };
  // When it is opened and node 1 takes in all that comes, node 2 nothing
  owner.bench.hear(2, Grant{owner.key(1)});
  note();
  const int64_t port = port_credit_bytes(NodeLimits{}.link_bytes_per_second);
  CHECK(sent[1] + sent[2] >= port);
  CHECK(sent[1] + sent[2] < port + port / 2 + 2 * max_strip_bytes);
  for (int i = 0; i < 50; ++i) {
    owner.bench.envelope().pasted_bytes = static_cast<uint64_t>(sent[1]);
    owner.bench.wait(std::chrono::milliseconds(5));
    owner.bench.hear(1, Beat{});
    note();
  }
  // Then node 1 has all of its part
  int64_t promised = 0;
  for (const StripId id : owner.plan.routes.from_frame) {
    const Strip& strip = owner.plan.routes.strips[id.value];
    if (strip.destination == NodeId{1}) promised += strip.bytes;
  }
  CHECK(sent[1] == promised);
  CHECK(sent[2] < port + max_strip_bytes);
}

TEST_CASE("a home that gives no slot holds up its own model's frames, and no other's") {
  TwoModels owner({.open_frames = 2, .waiting_frames = 5});
  owner.bench.hear(2, PlanReady{owner.plan.hash, true, {}});
  owner.capture(1);
  REQUIRE(owner.bench.said<FrameOpen>(1).size() == 1);  // unanswered
  owner.capture_second(2);
  REQUIRE(owner.bench.said<FrameOpen>(3).size() == 1);
  owner.finish_second(2);
  REQUIRE(owner.bench.all<Deliver>().size() == 1);
  CHECK(owner.bench.all<Deliver>()[0].key == owner.key(2));
}

TEST_CASE("a home is asked for one slot at a time, whatever models its frames are of") {
  OwnerBench owner({.open_frames = 3, .waiting_frames = 5});
  const Model other_model = bench_model(24);
  const LoadedPlan other = trusted_plan(other_model, bench_plan(other_model, {2}));
  owner.make_ready();
  owner.bench.give(PlanProposed{other.hash, other_model.hash, "text"});
  owner.bench.load(other);
  owner.bench.hear(2, PlanReady{other.hash, true, {}});
  owner.capture(1);
  owner.bench.hear(1, Grant{owner.key(1)});
  REQUIRE(owner.bench.said<FrameOpen>(2).size() == 1);
  owner.bench.give(FrameCaptured{2, other.hash, seconds(1)});
  CHECK(owner.bench.said<FrameOpen>(2).empty());
  owner.bench.hear(2, Grant{owner.key(2)});  // unasked: ignored
  CHECK(owner.bench.said<Piece>(2).empty());
  owner.bench.hear(2, Grant{owner.key(1)});
  REQUIRE(owner.bench.said<FrameOpen>(2).size() == 1);
  CHECK(owner.bench.said<FrameOpen>(2)[0].key == owner.key(2));
}

// Lets all peers beat, node 1 with its load, until a frame is begun again or ends.
int beats_until_given_up(OwnerBench& owner, uint32_t running_at_first, int most) {
  for (int beat = 1; beat <= most; ++beat) {
    owner.bench.wait(std::chrono::milliseconds(100));
    for (const uint32_t peer : {2U, 3U}) owner.bench.hear(peer, Beat{});
    owner.bench.envelope().running_tiles = running_at_first;
    owner.bench.hear(1, Beat{});
    owner.bench.envelope() = {};
    owner.bench.give(Woken{});
    if (!owner.bench.reports(Report::Kind::frame_reissued).empty()) return beat;
  }
  return most + 1;
}

TEST_CASE("a home that says it is ready, idles and gives no slot is left for a stand-in") {
  OwnerBench owner;
  owner.make_ready();
  owner.capture(1);
  const int beats = beats_until_given_up(owner, 0, 1000);
  CHECK(beats >= 590);
  REQUIRE(beats <= 610);
  CHECK(owner.bench.reports(Report::Kind::frame_reissued)[0].sentence ==
        "frame 1 is begun again: node 1 said that it was ready for plan " +
            short_name(owner.plan.hash) + " and has given frame 1 no slot in 60 s");
  const auto offers = owner.bench.said<PlanOffer>(2);
  REQUIRE(offers.size() == 1);  // of a stand-in without node 1
  const Result<Plan> stand_in = parse_plan(offers[0].text.str());
  REQUIRE(stand_in.ok());
  CHECK(homes(*stand_in) == std::vector{NodeId{2}});
  // It is left alone for as long as it kept the frame waiting
  int until_asked = 0;
  do {
    ++until_asked;
    owner.bench.wait(std::chrono::milliseconds(100));
    for (const uint32_t peer : {1U, 2U, 3U}) owner.bench.hear(peer, Beat{});
    owner.bench.give(Woken{});
  } while (owner.bench.said<PlanOffer>(1).empty() && until_asked < 2000);
  CHECK(until_asked >= 590);
  CHECK(until_asked <= 660);
}

TEST_CASE("a home that computes for others may be slow to give a slot, but not for ever") {
  OwnerBench owner({.first_tile_allowed = seconds(200)});
  owner.make_ready();
  owner.capture(1);
  const int beats = beats_until_given_up(owner, 1, 3000);
  CHECK(beats >= 1990);
  CHECK(beats <= 2010);
}

}  // namespace
}  // namespace shingle
