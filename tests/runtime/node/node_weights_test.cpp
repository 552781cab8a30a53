// Weights that changed in the memory of a node: what it tells, what it stops, how it becomes ready
// again.
#include <doctest/doctest.h>

#include "home_bench.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;

struct WeightBench : HomeBench {
  static constexpr Duration silence = std::chrono::hours(2),
                            looked_through = std::chrono::seconds(30);

  WeightBench() : HomeBench(silence, looked_through) {}
  static NodeConfig patient(NodeConfig config) {
    return HomeBench::patient(std::move(config), silence, looked_through);
  }
  void find_damage() { bench.give(WeightsDamaged{"the weights of layer 'conv' have changed"}); }
};

TEST_CASE("weights are looked at with beats, all of them once in the time that is set") {
  WeightBench node;
  double seen = 0.0;
  size_t looks = 0;
  for (int beat = 0; beat <= 310; ++beat) {
    node.bench.wait(milliseconds(100));
    node.bench.give(Woken{});
    for (const CheckWeights& check : node.bench.all<CheckWeights>()) {
      seen += check.share;
      ++looks;
    }
  }
  CHECK(seen == doctest::Approx(1.0).epsilon(0.05));
  CHECK(looks >= 60);
  CHECK(looks <= 62);
}

TEST_CASE("a node that computes nothing, or is told so, never looks at weights") {
  for (const bool computes : {true, false}) {
    NodeConfig config = WeightBench::patient(bench_config(1, 3));
    config.limits.compute_slots = computes ? 1 : 0;
    if (computes) config.limits.weights_looked_through = Duration::zero();
    NodeBench bench(config);
    bench.join(0, 0);
    for (int beat = 0; beat < 100; ++beat) {
      bench.wait(milliseconds(100));
      bench.give(Woken{});
      CHECK(bench.all<CheckWeights>().empty());
    }
  }
}

TEST_CASE(
    "a home whose weights have changed says so, packs again, and is ready when that is done") {
  WeightBench home;
  home.find_damage();
  const auto said = home.bench.said<PlanReady>(0);
  REQUIRE(said.size() == 1);
  CHECK_FALSE(said[0].ready);
  CHECK(said[0].again);
  CHECK(said[0].plan == home.plan.hash);
  CHECK(said[0].why_not.find("layer 'conv'") != std::string::npos);
  CHECK(home.bench.all<PackAgain>().size() == 1);
  CHECK(home.bench.reports(Report::Kind::weights_damaged).size() == 1);
  home.find_damage();  // by another slot
  CHECK(home.bench.said<PlanReady>(0).empty());
  home.offer();  // meanwhile
  CHECK_FALSE(home.bench.said<PlanReady>(0).at(0).ready);
  home.bench.give(PackedAgain{});
  const auto back = home.bench.said<PlanReady>(0);
  REQUIRE(back.size() == 1);
  CHECK(back[0].ready);
  CHECK(home.bench.reports(Report::Kind::weights_packed).size() == 1);
}

TEST_CASE(
    "what was being computed when weights were found changed is no result, even if it ends later") {
  for (const bool packed_before : {false, true}) {
    CAPTURE(packed_before);
    WeightBench home;
    const auto order = home.begin(1);
    REQUIRE(order.has_value());
    home.find_damage();
    if (packed_before) home.bench.give(PackedAgain{});
    home.bench.give(
        TileComputed{order->key, order->tile, order->attempt, order->place, milliseconds(1)});
    CHECK(home.bench.said<Done>(0).empty());
    CHECK(home.bench.said<Piece>(0).empty());
    CHECK(home.bench.said<Failed>(0).size() == 1);
  }
}

TEST_CASE(
    "nothing is begun with weights that changed, and what waits is begun when they are packed") {
  WeightBench home;
  home.find_damage();
  CHECK_FALSE(home.begin(1).has_value());
  home.bench.give(PackedAgain{});
  CHECK(home.bench.all<Compute>().size() == 1);
}

// Node 2 has tiles to lend, and node 1 has asked for one.
struct Thief : WeightBench {
  Thief() {
    bench.envelope().ready_tiles = 5;
    bench.hear(2, Beat{});
    REQUIRE(bench.said<StealRequest>(2).size() == 1);
  }
  void lend() {
    TileId of_two{};
    for (const FusedBlock& block : plan.plan.blocks)
      for (const Tile& tile : block.tiles)
        if (tile.home == NodeId{2}) of_two = tile.id;
    bench.hear(2, StealReply{Assign{{NodeId{0}, 1, 1}, plan.hash, of_two, 0}});
  }
};

TEST_CASE("a thief whose weights have changed gives back what it borrowed and asks for nothing") {
  Thief thief;
  thief.lend();
  REQUIRE_FALSE(thief.bench.node().idle());
  thief.find_damage();
  CHECK(thief.bench.said<Failed>(2).size() == 1);
  CHECK(thief.bench.node().idle());
  thief.bench.hear(2, Beat{});
  CHECK(thief.bench.said<StealRequest>(2).empty());
  thief.bench.give(PackedAgain{});
  CHECK(thief.bench.said<StealRequest>(2).size() == 1);
}

TEST_CASE("what a thief asked for before its weights changed it does not take") {
  Thief thief;
  thief.find_damage();
  thief.lend();
  CHECK(thief.bench.said<Failed>(2).size() == 1);
  CHECK(thief.bench.node().idle());
}

TEST_CASE("a node whose weights cannot be packed for now tries again, later each time") {
  WeightBench home;
  home.find_damage();
  REQUIRE(home.bench.all<PackAgain>().size() == 1);
  for (const int pause : {50, 100, 200}) {  // tenths of a second
    CAPTURE(pause);
    home.bench.give(PackedAgain{Error{"there is no memory for them"}, true});
    const auto said = home.bench.said<PlanReady>(0);
    REQUIRE(said.size() == 1);
    CHECK_FALSE(said[0].ready);
    CHECK(said[0].again);
    CHECK(said[0].why_not.find("there is no memory for them") != std::string::npos);
    int tenths = 0;
    for (bool packs = false; !packs && tenths <= pause;
         packs = !home.bench.all<PackAgain>().empty()) {
      ++tenths;
      home.bench.wait(milliseconds(100));
      home.bench.give(Woken{});
    }
    CHECK(tenths == pause);
  }
  home.bench.give(PackedAgain{});
  CHECK(home.bench.said<PlanReady>(0).at(0).ready);
}

TEST_CASE("an owner that starts anew is not refused by a node that will pack its weights again") {
  WeightBench home;
  home.find_damage();
  home.bench.give(PackedAgain{Error{"there is no memory for them"}, true});
  home.offer();
  CHECK(home.bench.said<PlanReady>(0).at(0).again);
}

TEST_CASE("a node whose model file is another one says so, and is ready once it is back") {
  WeightBench home;
  home.find_damage();
  home.bench.give(PackedAgain{Error{"the file is another one"}});
  const auto said = home.bench.said<PlanReady>(0);
  REQUIRE(said.size() == 1);
  CHECK_FALSE(said[0].again);
  CHECK(said[0].why_not.find("the file is another one") != std::string::npos);
  home.offer();
  CHECK_FALSE(home.bench.said<PlanReady>(0).at(0).again);
  home.bench.wait(std::chrono::seconds(5));
  home.bench.give(Woken{});
  REQUIRE(home.bench.all<PackAgain>().size() == 1);
  home.bench.give(PackedAgain{});
  CHECK(home.bench.said<PlanReady>(0).at(0).ready);
}

TEST_CASE("a damaged node does not load a further plan, and says why") {
  WeightBench home;
  home.find_damage();
  home.bench.give(PackedAgain{Error{"the file is another one"}});
  const LoadedPlan further = trusted_plan(home.model, bench_plan(home.model, {1, 2, 1}));
  REQUIRE(further.hash != home.plan.hash);
  home.bench.hear(0, PlanOffer{further.hash, home.model.hash, print(further.plan)});
  CHECK(home.bench.all<LoadPlan>().empty());
  const auto said = home.bench.said<PlanReady>(0);
  REQUIRE(said.size() == 1);
  CHECK(said[0].plan == further.hash);
  CHECK(said[0].damaged);
  CHECK_FALSE(said[0].again);
}

TEST_CASE("a node whose weights change again and again stays away") {
  WeightBench worn;
  for (int repair = 0; repair < 3; ++repair) {
    worn.find_damage();
    REQUIRE(worn.bench.all<PackAgain>().size() == 1);
    worn.bench.give(PackedAgain{});
  }
  worn.find_damage();
  CHECK(worn.bench.all<PackAgain>().empty());
  CHECK_FALSE(worn.bench.said<PlanReady>(0).at(0).again);
  worn.offer();
  CHECK_FALSE(worn.bench.said<PlanReady>(0).at(0).again);
}

// A home whose executor hangs at a tile.
struct StuckHome : WeightBench {
  StuckHome() {
    const Compute usual = begin(1).value();
    bench.give(TileComputed{usual.key, usual.tile, 0, usual.place, milliseconds(10)});
    bench.hear(0, FrameClosed{usual.key, true});
    stuck = begin(2).value();
    bench.give(TileBegun{stuck.key, stuck.tile, stuck.place});
  }
  std::vector<PlanReady> beats(int count) {
    std::vector<PlanReady> said;
    for (int i = 0; i < count; ++i) {
      bench.wait(milliseconds(100));
      bench.give(Woken{});
      for (const PlanReady& answer : bench.said<PlanReady>(0)) said.push_back(answer);
    }
    return said;
  }
  std::vector<PlanReady> come_back() {
    bench.give(TileComputed{stuck.key, stuck.tile, 0, stuck.place, milliseconds(1)});
    return bench.said<PlanReady>(0);
  }

  static constexpr int long_enough = 20;
  Compute stuck;
};

TEST_CASE("who waits for a home that hangs hears that its weights have changed, too") {
  StuckHome home;
  const auto hangs = home.beats(StuckHome::long_enough);
  REQUIRE(hangs.size() == 1);
  CHECK(hangs[0].hangs);
  home.find_damage();
  const auto worse = home.bench.said<PlanReady>(0);
  REQUIRE(worse.size() == 1);
  CHECK(worse[0].again);
  CHECK_FALSE(worse[0].hangs);
  home.bench.give(PackedAgain{});
  CHECK(home.bench.said<PlanReady>(0).empty());  // its executor is still away
  const auto back = home.come_back();
  REQUIRE(back.size() == 1);
  CHECK(back[0].ready);
}

// Of a plan whose homes are the owner and node 1.
void open_a_frame(NodeBench& owner) {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {0, 1}));
  owner.give(PlanProposed{plan.hash, model.hash, print(plan.plan)});
  owner.load(plan);
  owner.hear(1, PlanReady{plan.hash, true, {}});
  owner.give(FrameCaptured{1, plan.hash, std::chrono::seconds(1)});
  owner.hear(1, Grant{{NodeId{0}, 1, 1}});
}

TEST_CASE("an owner whose own weights have changed has its frames done by others") {
  NodeBench owner(WeightBench::patient(bench_config(0, 2)));
  owner.join(1);
  open_a_frame(owner);
  owner.give(WeightsDamaged{"they have changed"});
  CHECK(owner.reports(Report::Kind::frame_reissued).size() == 1);
  CHECK(owner.reports(Report::Kind::frame_aborted).empty());
  const auto offers = owner.said<PlanOffer>(1);  // of a stand-in without this node
  REQUIRE(offers.size() == 1);
  const Result<Plan> stand_in = parse_plan(offers[0].text.str());
  REQUIRE(stand_in.ok());
  CHECK(homes(*stand_in) == std::vector{NodeId{1}});
}

TEST_CASE("frames wait for an owner that has no memory to pack its own weights again, for now") {
  NodeBench owner(WeightBench::patient(bench_config(0, 2)));
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {0}));
  owner.give(PlanProposed{plan.hash, model.hash, print(plan.plan)});
  owner.load(plan);
  owner.give(FrameCaptured{1, plan.hash, std::chrono::seconds(1)});
  REQUIRE(owner.all<Compute>().size() == 1);
  owner.give(WeightsDamaged{"they have changed"});
  CHECK(owner.reports(Report::Kind::frame_reissued).size() == 1);
  owner.give(PackedAgain{Error{"there is no memory for them"}, true});
  CHECK(owner.reports(Report::Kind::frame_aborted).empty());
  owner.wait(std::chrono::seconds(5));
  owner.give(Woken{});
  REQUIRE(owner.all<PackAgain>().size() == 1);
  CHECK(owner.reports(Report::Kind::frame_aborted).empty());
  owner.give(PackedAgain{});
  CHECK(owner.reports(Report::Kind::plan_ready).size() == 1);
}

TEST_CASE("an owner that has packed its own weights again says that its plan is ready again") {
  NodeBench owner(WeightBench::patient(bench_config(0, 2)));
  owner.join(1);
  open_a_frame(owner);
  owner.give(WeightsDamaged{"they have changed"});
  CHECK(owner.reports(Report::Kind::plan_impaired).size() == 1);
  owner.give(PackedAgain{});
  CHECK(owner.reports(Report::Kind::plan_ready).size() == 1);
}

TEST_CASE(
    "a frame does not wait for an owner that computes nothing any more because it hangs too") {
  NodeConfig config = WeightBench::patient(bench_config(0, 2));
  config.limits.first_tile_allowed = milliseconds(300);
  NodeBench owner(config);
  owner.join(1);
  open_a_frame(owner);
  const auto orders = owner.all<Compute>();
  REQUIRE(orders.size() == 1);  // from which its executor does not come back
  owner.give(TileBegun{orders[0].key, orders[0].tile, orders[0].place});
  owner.give(WeightsDamaged{"they have changed"});
  owner.give(PackedAgain{Error{"there is no memory for them"}});
  for (int beat = 0; beat < 20; ++beat) {
    owner.wait(milliseconds(100));
    owner.give(Woken{});
  }
  owner.give(PeerLost{NodeId{1}, "gone"});
  std::vector<Report> ended;
  for (int beat = 0; beat < 60 && ended.empty(); ++beat) {
    owner.wait(milliseconds(100));
    owner.give(Woken{});
    ended = owner.reports(Report::Kind::frame_aborted);
    if (!owner.all<PackAgain>().empty())
      owner.give(PackedAgain{Error{"there is no memory for them"}});
  }
  CHECK(ended.size() == 1);
}

}  // namespace
}  // namespace shingle
