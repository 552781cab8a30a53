// Whole nodes on real sockets in one process: Driver, Node, ZmqTransport and executor, as deployed.
//
//   node 1 (owner) ---- node 2
//          \             /
//           `-- node 3 -'          every delivery is compared with the bare executor's whole run
#include <doctest/doctest.h>

#include "devices/native_executor.hpp"
#include "partition/planner.hpp"
#include "runtime/driver.hpp"
#include "tests/runtime/observed.hpp"
#include "tests/transport/members.hpp"
#include "transport/zmq_transport.hpp"

namespace shingle {
namespace {

using testing::bare_run;
using testing::finder_of;
using testing::Image;
using testing::image_of;
using testing::long_enough;
using testing::Member;
using testing::Observed;
using testing::reference_executors;

struct RunningNode {
  RunningNode(NodeId id, size_t count, Member& member, std::shared_ptr<const Model> model,
              std::vector<std::unique_ptr<Executor>> executors, double slowness)
      : pacer({.slowness = slowness}, pause.clock()) {
    DriverOptions options;
    options.node.id = id;
    for (uint32_t other = 1; other <= count; ++other) options.node.members.push_back({other});
    options.node.limits.silence_allowed = long_enough;  // a loaded machine stutters
    options.find_model = finder_of(std::move(model));
    observed.listen(options);
    driver =
        std::make_unique<Driver>(std::move(options), testing::paced(std::move(executors), pacer),
                                 member.inbox, *member.transport, clock);
    driver->start();
  }
  void stop() {
    pause.end();
    driver->stop();
  }
  BreakablePause pause;
  Pacer pacer;
  SteadyClock clock;
  Observed observed;
  std::unique_ptr<Driver> driver;
};

struct RealCluster {
  using Executors = std::vector<std::unique_ptr<Executor>>;
  static Executors one_reference() { return reference_executors(1); }
  static Executors one_xnnpack() {
    Executors executors;
    executors.push_back(std::make_unique<NativeExecutor>());
    return executors;
  }

  explicit RealCluster(std::shared_ptr<const Model> of, Executors (*executors)() = one_reference,
                       size_t count = 3, double slow_last = 1.0)
      : model(std::move(of)), members(testing::connected(static_cast<uint32_t>(count))) {
    for (size_t i = 0; i < count; ++i)
      nodes.push_back(std::make_unique<RunningNode>(NodeId{static_cast<uint32_t>(i + 1)}, count,
                                                    *members[i], model, executors(),
                                                    i + 1 == count ? slow_last : 1.0));
    REQUIRE(owner().observed.wait_for(Report::Kind::peer_joined, count - 1).has_value());
  }
  ~RealCluster() {
    for (size_t i = 0; i < nodes.size(); ++i) kill(i);
  }

  RunningNode& owner() { return *nodes.front(); }
  Cluster machines() const {
    Cluster cluster;
    for (size_t i = 0; i < nodes.size(); ++i)
      cluster.nodes.push_back({.id = {static_cast<uint32_t>(i + 1)}});
    return cluster;
  }
  Plan cut(GridCut grid, std::vector<LayerId> cut_after = {}) const {
    return grid_plan(*model, machines(),
                     {.cut_after = std::move(cut_after), .grid = grid, .granule = {}});
  }
  PlanHash ready(const Plan& plan) {
    owner().driver->propose(hash_of(plan), plan.model, print(plan));
    REQUIRE(owner().observed.wait_for(Report::Kind::plan_ready).has_value());
    return hash_of(plan);
  }
  FrameKey submit(const PlanHash& plan, const Image& image) {
    const auto key = owner().driver->submit(plan, image, std::chrono::seconds(60));
    REQUIRE(key.has_value());
    return *key;
  }
  void kill(size_t index) {
    nodes[index]->stop();
    members[index]->transport.reset();
  }

  std::shared_ptr<const Model> model;
  std::vector<std::unique_ptr<Member>> members;
  std::vector<std::unique_ptr<RunningNode>> nodes;
};

TEST_CASE("three nodes deliver the bits that one executor computes, frame after frame") {
  RealCluster cluster(testing::shared(networks::make("mobilenetv2", 64)));
  REQUIRE(cluster.model != nullptr);
  const PlanHash plan = cluster.ready(cluster.cut({3, 3}, {{8}, {20}}));
  for (uint64_t frame = 0; frame < 3; ++frame) {
    const Image image = image_of(*cluster.model, frame);
    const auto outputs = cluster.owner().observed.wait_for(cluster.submit(plan, image));
    REQUIRE(outputs.has_value());
    CHECK(*outputs == bare_run(*cluster.model, image));
  }
  for (size_t i = 0; i < 3; ++i) cluster.kill(i);
  uint64_t computed = 0;
  for (const auto& node : cluster.nodes) {
    const NodeCounters& counters = node->driver->counters();
    CHECK(counters.tiles_computed > 0);
    CHECK(counters.messages_refused == 0);
    CHECK(node->driver->node().broken_invariants().empty());
    computed += counters.tiles_computed;
  }
  CHECK(computed >= 3 * 9);
}

TEST_CASE("the planner's own plan of a ResNet on XNNPACK comes out as XNNPACK's whole run") {
  RealCluster cluster(testing::shared(networks::make("resnet18", 96)), RealCluster::one_xnnpack);
  REQUIRE(cluster.model != nullptr);
  const Result<Plan> plan = make_plan(*cluster.model, cluster.machines());
  REQUIRE(plan.ok());
  const PlanHash hash = cluster.ready(*plan);
  NativeExecutor bare;
  for (uint64_t frame = 0; frame < 3; ++frame) {
    const Image image = image_of(*cluster.model, frame);
    const auto outputs = cluster.owner().observed.wait_for(cluster.submit(hash, image));
    REQUIRE(outputs.has_value());
    CHECK(*outputs == bare_run(*cluster.model, image, bare));
  }
}

TEST_CASE("random networks and grids on real sockets come out right, on floats and on bytes") {
  const uint64_t seed = 31;
  CAPTURE(seed);
  networks::Random random(seed);
  for (int round = 0; round < 6; ++round) {
    CAPTURE(round);
    Model drawn = networks::random_model(random);
    const auto channels = static_cast<size_t>(drawn.at(drawn.inputs.front()).shape.c);
    if (round % 2 == 0)
      take_image(drawn, std::vector<float>(channels, 0.02F), std::vector<float>(channels, -2.0F));
    RealCluster cluster(std::make_shared<const Model>(std::move(drawn)));
    const PlanHash plan =
        cluster.ready(cluster.cut({random.between(1, 4), random.between(1, 4)}, {{1}}));
    const Image image = image_of(*cluster.model, random.next());
    const auto outputs = cluster.owner().observed.wait_for(cluster.submit(plan, image));
    REQUIRE(outputs.has_value());
    CHECK(*outputs == bare_run(*cluster.model, image));
  }
}

TEST_CASE("a slow node's tiles are stolen, and the bits stay the same") {
  RealCluster cluster(testing::shared(networks::make("tiny", 96)), RealCluster::one_reference, 3,
                      8.0);
  const PlanHash plan = cluster.ready(cluster.cut({6, 6}));
  uint64_t stolen = 0;
  for (uint64_t frame = 0; frame < 20 && stolen == 0; ++frame) {
    const Image image = image_of(*cluster.model, frame);
    const auto outputs = cluster.owner().observed.wait_for(cluster.submit(plan, image));
    REQUIRE(outputs.has_value());
    REQUIRE(*outputs == bare_run(*cluster.model, image));
    for (const auto& node : cluster.nodes) stolen += node->observed.count(Report::Kind::tile_lent);
  }
  CHECK(stolen > 0);
}

TEST_CASE(
    "a node that goes in the middle of a frame takes nothing with it: the bits come all the same") {
  RealCluster cluster(testing::shared(networks::make("tiny", 96)), RealCluster::one_reference, 3,
                      1e6);
  const PlanHash plan = cluster.ready(cluster.cut({4, 4}));
  const Image image = image_of(*cluster.model, 1);
  const FrameKey frame = cluster.submit(plan, image);
  cluster.kill(2);
  const auto outputs = cluster.owner().observed.wait_for(frame);
  REQUIRE(outputs.has_value());
  CHECK(*outputs == bare_run(*cluster.model, image));
  CHECK(cluster.owner().observed.wait_for(Report::Kind::peer_lost).has_value());
  CHECK(cluster.owner().observed.count(Report::Kind::frame_aborted) == 0);
}

}  // namespace
}  // namespace shingle
