// When an owner plans anew, and when it does not.
#include "runtime/owner/replanner.hpp"

#include <doctest/doctest.h>

#include "runtime/protocol/load_plan.hpp"
#include "tests/networks/networks.hpp"

namespace shingle {
namespace {

using namespace std::chrono_literals;

// Two equal nodes that compute what the plan gives them, frame after frame, so many times slower
// than their profiles say.
struct Stream {
  explicit Stream(StreamShare others = {})
      : model(std::make_shared<const Model>(networks::make("yolov2_front", 64).value())),
        found(find_rotation(*model, cluster, goal).value()),
        loaded(trusted_plan(*model, found.rotation[0].plan)),
        replanner(model, {cluster, goal, found, std::move(others)}) {}

  void frame(double slowness_of_0, double slowness_of_1) {
    ++number;
    const FrameKey key{.owner = NodeId{0}, .life = 1, .frame = number};
    for (const FusedBlock& block : found.rotation[0].plan.blocks) {
      for (const Tile& tile : block.tiles) {
        const double slowness = tile.home == NodeId{0} ? slowness_of_0 : slowness_of_1;
        const TileProgram program = tile_program(*model, block, tile.outputs);
        const double ns =
            work_of(profile_of(cluster.nodes[0]), *model, program).compute_ns * slowness;
        replanner.tile_done(loaded, {.kind = Report::Kind::tile_done,
                                     .key = key,
                                     .node = tile.home,
                                     .tile = tile.id,
                                     .elapsed = Duration(static_cast<int64_t>(ns)),
                                     .sentence = {}});
      }
    }
    replanner.frame_done(key);
    now += 50ms;
  }
  void frames(int count, double slowness_of_0, double slowness_of_1) {
    for (int i = 0; i < count; ++i) frame(slowness_of_0, slowness_of_1);
  }
  // Node 1 turns out to be three times slower, for long enough to plan anew.
  ReplanTask drift() {
    frames(5, 1.0, 3.0);
    auto task = replanner.due(now);
    REQUIRE(task);
    return std::move(*task);
  }

  Cluster cluster{{{.id = NodeId{0}}, {.id = NodeId{1}}}};
  Goal goal{.kind = Goal::Kind::throughput, .owner = NodeId{0}, .open_frames = 1};  // one plan
  std::shared_ptr<const Model> model;
  FoundRotation found;
  LoadedPlan loaded;
  Replanner replanner;
  uint64_t number = 0;
  Time now = Time{} + 1s;
};

TEST_CASE("nodes that keep to their profiles, or stray a little from them, are left in peace") {
  Stream stream;
  stream.frames(20, 1.0, 1.0);
  CHECK_FALSE(stream.replanner.due(stream.now));
  stream.frames(20, 0.85, 1.2);
  CHECK_FALSE(stream.replanner.due(stream.now));
}

TEST_CASE("one frame that was held up is no drift; five in a row are") {
  Stream stream;
  stream.frames(10, 1.0, 1.0);
  stream.frames(1, 1.0, 9.0);
  CHECK_FALSE(stream.replanner.due(stream.now));
  stream.frames(5, 1.0, 1.0);
  stream.frames(4, 1.0, 3.0);
  CHECK_FALSE(stream.replanner.due(stream.now));
  stream.frames(1, 1.0, 3.0);
  const auto task = stream.replanner.due(stream.now);
  REQUIRE(task);
  CHECK(task->speed_ups[0] == doctest::Approx(1.0).epsilon(0.01));
  CHECK(task->speed_ups[1] == doctest::Approx(1.0 / 3.0).epsilon(0.01));
  CHECK(task->cluster.nodes[1].gflops == doctest::Approx(4.0 / 3.0).epsilon(0.01));
}

TEST_CASE(
    "the plan that comes of it is clearly better there, and computes by the same algorithms") {
  Stream stream;
  const auto task = stream.drift();
  const auto found = plan_anew(*stream.model, task);
  REQUIRE(found);
  const FoundRotation before = simulated(*stream.model, task.cluster, task.goal, task.in_use);
  CHECK(found->stream.period < before.stream.period * 95 / 100);
  CHECK(defects(found->rotation, *stream.model, {}).empty());
  CHECK(winograd_layers(found->rotation[0].plan) == winograd_layers(stream.found.rotation[0].plan));
}

TEST_CASE("where nothing clearly better is found, the plan in use stays") {
  Stream stream;
  stream.frames(5, 1.3, 1.3);  // all alike: the shares are right as they are
  const auto task = stream.replanner.due(stream.now);
  REQUIRE(task);
  CHECK_FALSE(plan_anew(*stream.model, *task));
}

TEST_CASE("searches are one at a time, with pauses that double, and end" *
          doctest::test_suite("long")) {
  Stream stream;
  double slowness = 1.0;
  int searches = 0;
  std::vector<Duration> pauses;
  Time last = stream.now;
  while (stream.now < Time{} + 3h) {
    slowness = slowness > 2.0 ? 1.0 : 4.0;  // it never settles for long
    stream.frames(6, 1.0, slowness);
    if (!stream.replanner.due(stream.now)) continue;
    CHECK_FALSE(stream.replanner.due(stream.now));
    ++searches;
    pauses.push_back(stream.now - last);
    last = stream.now;
    stream.replanner.kept();
  }
  CHECK(searches == ReplanLimits{}.most);
  REQUIRE(pauses.size() > 10);
  for (size_t i = 1; i < 7; ++i) CHECK(pauses[i + 1] >= pauses[i] * 5 / 4);
  CHECK(pauses[9] >= 64s);
}

TEST_CASE("after a switch the new plan's speeds are what drift is held against") {
  Stream stream;
  const auto task = stream.drift();
  const auto found = plan_anew(*stream.model, task);
  REQUIRE(found);
  stream.replanner.switched(*found);
  stream.now += 10s;
  stream.frames(10, 1.0, 3.0);
  CHECK_FALSE(stream.replanner.due(stream.now));
  // When the node is itself again, it is noticed as well
  stream.frames(5, 1.0, 1.0);
  const auto back = stream.replanner.due(stream.now);
  REQUIRE(back);
  CHECK(back->speed_ups[1] == doctest::Approx(3.0).epsilon(0.02));
}

TEST_CASE("what another stream takes of a node is reckoned with, and is no drift of the node") {
  Stream stream({{.node = NodeId{0}, .busy = 0.5}});
  // When tiles take what profiles say
  stream.frames(10, 1.0, 1.0);
  CHECK_FALSE(stream.replanner.due(stream.now));
  // And node 1 turns out to be slow
  const auto task = stream.drift();
  CHECK(task.speed_ups[0] == doctest::Approx(1.0).epsilon(0.01));
  CHECK(task.cluster.nodes[0].gflops == doctest::Approx(4.0 / 2.0).epsilon(0.01));
  CHECK(task.cluster.nodes[1].gflops == doctest::Approx(4.0 / 3.0).epsilon(0.01));
}

TEST_CASE("two frames of long tiles say what it takes five of short ones to say") {
  SlownessWatch watch;
  const NodeId node{1};
  const auto frames = [&](uint64_t begin, uint64_t end, Duration predicted) {
    for (uint64_t frame = begin; frame < end; ++frame) {
      watch.tile_done(frame, node, predicted, 2 * predicted);
      watch.frame_done(frame);
    }
  };
  frames(1, 5, 10ms);
  CHECK_FALSE(watch.samples(node));
  frames(5, 6, 10ms);
  REQUIRE(watch.samples(node));
  CHECK(*watch.samples(node) == SlownessWatch::Samples(5, 2.0));
  frames(6, 8, 200ms);
  CHECK(*watch.samples(node) == SlownessWatch::Samples(2, 2.0));
}

TEST_CASE("of whole frames in turn a node that became slow gets fewer") {
  const auto model = std::make_shared<const Model>(networks::make("yolov2_front", 96).value());
  Cluster cluster;
  for (uint32_t id = 0; id < 6; ++id)
    cluster.nodes.push_back({.id = {id}, .link_mbps = 20, .profile = paced_profile(4)});
  const Goal goal{.kind = Goal::Kind::throughput, .owner = NodeId{0}, .open_frames = 12};
  const FoundRotation found = find_rotation(*model, cluster, goal).value();
  REQUIRE(found.rotation.size() == 6);
  Replanner replanner(model, {cluster, goal, found});
  // When frames of node 2 take twice as long as its profile says
  for (uint64_t frame = 1; frame <= 30; ++frame) {
    const LoadedPlan plan = trusted_plan(*model, found.rotation[frame % 6].plan);
    const Tile& whole = tile(plan.plan, TileId{0});
    const TileProgram program = tile_program(*model, plan.plan.blocks[0], whole.outputs);
    const double ns = work_of(paced_profile(4), *model, program).compute_ns;
    const FrameKey key{.owner = NodeId{0}, .life = 1, .frame = frame};
    replanner.tile_done(
        plan, {.kind = Report::Kind::tile_done,
               .key = key,
               .node = whole.home,
               .tile = TileId{0},
               .elapsed = Duration(static_cast<int64_t>(whole.home == NodeId{2} ? 2.0 * ns : ns)),
               .sentence = {}});
    replanner.frame_done(key);
  }
  const auto task = replanner.due(Time{} + 1s);
  REQUIRE(task);
  const auto anew = plan_anew(*model, *task);
  REQUIRE(anew);
  const FoundRotation before = simulated(*model, task->cluster, task->goal, task->in_use);
  CHECK(anew->stream.period < before.stream.period * 9 / 10);
}

TEST_CASE("a tile that a thief computed says nothing of either node") {
  Stream stream;
  for (int i = 0; i < 10; ++i) {
    ++stream.number;
    const FrameKey key{.owner = NodeId{0}, .life = 1, .frame = stream.number};
    const Tile& tile = stream.found.rotation[0].plan.blocks[0].tiles[0];
    stream.replanner.tile_done(stream.loaded,
                               {.kind = Report::Kind::tile_done,
                                .key = key,
                                .node = tile.home == NodeId{0} ? NodeId{1} : NodeId{0},
                                .tile = tile.id,
                                .elapsed = 10s,
                                .sentence = {}});
    stream.replanner.frame_done(key);
  }
  CHECK_FALSE(stream.replanner.due(stream.now));
}

}  // namespace
}  // namespace shingle
