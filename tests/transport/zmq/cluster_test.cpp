// Every delivery of whole nodes on real sockets is compared with the bare executor's whole run.
#include "tests/transport/real_cluster.hpp"

namespace shingle {
namespace {

using testing::bare_run;
using testing::Image;
using testing::image_of;

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
