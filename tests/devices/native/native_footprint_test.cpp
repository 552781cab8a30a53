// What the planner is told of memory, held against executors that have really packed and reserved.
#include "devices/native/native_footprint.hpp"

#include <doctest/doctest.h>

#include "devices/budget/memory_cap.hpp"
#include "devices/native/native_executor.hpp"
#include "partition/plan/stand_in.hpp"
#include "partition/search/plan_search.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;

namespace {

constexpr int64_t mebibyte = 1 << 20;

Cluster capped(size_t nodes, int64_t bytes) {
  Cluster cluster;
  for (uint32_t id = 0; id < nodes; ++id) cluster.nodes.push_back({.id = NodeId{id}});
  cap_memory(cluster, bytes);
  return cluster;
}

// What a node of the plan holds once it has prepared what the runtime has it prepare.
Executor::Memory prepared_at(const Model& model, const Plan& plan, NodeId node, int threads) {
  std::vector<TileProgram> kept;
  for (const FusedBlock& block : plan.blocks)
    for (const Tile& tile : block.tiles)
      if (keeps_weights(plan, node, tile.id))
        kept.push_back(tile_program(model, block, tile.outputs));
  NativeExecutor executor({.threads = threads, .transformed_bytes = 0});
  REQUIRE(executor.prepare(model, kept).ok());
  return executor.memory();
}

}  // namespace

TEST_CASE(
    "weights and buffers are foreseen, at home and everywhere, with any threads; where no layer is "
    "XNNPACK's to the byte" *
    doctest::test_suite("long")) {
  for (const char* name : {"yolov2_front", "resnet18", "mobilenetv2"}) {
    const Result<Model> model = networks::make(name, 96);
    REQUIRE(model.ok());
    for (const WeightPlaces places : {WeightPlaces::at_home, WeightPlaces::everywhere}) {
      for (const int threads : {1, 2}) {
        Cluster cluster = capped(3, 512 * mebibyte);
        cluster.weights = places;
        cluster.footprint = native_footprint(threads);
        const Result<Plan> plan = make_plan(*model, cluster, {.open_frames = 1});
        REQUIRE(plan.ok());
        REQUIRE(plan->weights == places);
        const Timeline line = simulate(*model, cluster, *plan, {}, {});
        for (const NodeLoad& load : line.nodes) {
          CAPTURE(name);
          CAPTURE(threads);
          CAPTURE(load.node.value);
          const Executor::Memory real = prepared_at(*model, *plan, load.node, threads);
          // XNNPACK pads weights and has work space of its own.
          const bool ours = std::string(name) == "yolov2_front";
          CHECK(std::abs(real.packed_bytes - load.weight_bytes) <= (ours ? 0 : 64 * 1024));
          CHECK(std::abs(real.scratch_bytes - load.buffer_bytes) <= (ours ? 0 : 512 * 1024));
        }
      }
    }
  }
}

TEST_CASE("buffers are foreseen within 1 % where maps are computed twice to hold fewer of them" *
          doctest::test_suite("long")) {
  const Model model = networks::original_unet(1088, 1920);
  const TensorId output = model.outputs[0].tensor;
  const TileProgram program =
      tile_program(model, whole_block(model), {{output, whole(model.at(output).shape)}});
  const PassBuffers foreseen = native_footprint(1).pass(model, program);
  NativeExecutor executor({.threads = 1, .transformed_bytes = 0});
  REQUIRE(executor.prepare(model, std::span(&program, 1)).ok());
  const int64_t real = executor.memory().scratch_bytes;
  CHECK(std::abs(real - foreseen.maps_bytes - foreseen.scratch_bytes) * 100 <= real);
}

TEST_CASE("a cap is kept, and half of it is refused or kept too" * doctest::test_suite("long")) {
  const Result<Model> model = networks::make("yolov2_front", 96);
  REQUIRE(model.ok());
  for (const int64_t mebibytes : {24, 12}) {
    const Cluster cluster = capped(4, mebibytes * mebibyte);
    const Result<Found> found = find_plan(*model, cluster, {.open_frames = 2});
    if (!found) {
      CHECK(found.error().find("the smallest cap that fits is") != std::string::npos);
      continue;
    }
    for (const NodeLoad& load : found->stream.nodes)
      CHECK(load.peak_bytes * 104 / 100 <= mebibytes * mebibyte);  // with headroom
  }
}

TEST_CASE("a node may hold what fits, and says the numbers where it does not") {
  const Result<Model> model = networks::make("yolov2_front", 96);
  REQUIRE(model.ok());
  const ClusterFile file =
      parse_cluster("[[node]]\nid = 0\nport = 7000\n[[node]]\nid = 1\nport = 7001\n", "two.toml")
          .value();
  const Plan plan = make_plan(*model, planner_cluster(file), {}).value();
  CHECK(may_hold(file, {.id = {1}, .memory_bytes = 0}, *model, plan).ok());
  CHECK(may_hold(file, {.id = {1}, .memory_bytes = 64 * mebibyte}, *model, plan).ok());
  const Status refused = may_hold(file, {.id = {1}, .memory_bytes = 2 * mebibyte}, *model, plan);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().starts_with("it may use 2.0 MiB and the plan asks for "));
  CHECK(refused.error().find("weights 13.") != std::string::npos);
}

TEST_CASE("a node that may just hold its plan may not hold the stand-in that gives it all tiles" *
          doctest::test_suite("long")) {
  const Result<Model> model = networks::make("yolov2_front", 96);
  REQUIRE(model.ok());
  const ClusterFile file =
      parse_cluster("[[node]]\nid = 0\nport = 7000\n[[node]]\nid = 1\nport = 7001\n", "two.toml")
          .value();
  Cluster cluster = planner_cluster(file);
  cap_memory(cluster, 64 * mebibyte);
  const Plan plan = make_plan(*model, cluster, {}).value();
  REQUIRE(homes(plan).size() == 2);
  CappedNode heir{.id = {1}, .memory_bytes = mebibyte};
  while (!may_hold(file, heir, *model, plan)) heir.memory_bytes += mebibyte / 64;
  const Status refused =
      may_hold(file, heir, *model, stand_in(plan, {{.lost = {0}, .heirs = {{1}}}}));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().starts_with("it may use "));
}

TEST_CASE("plans are judged together: weights of one model once, streams of two side by side") {
  const Model first = networks::make("yolov2_front", 96, 1).value();
  const Model second = networks::make("yolov2_front", 96, 2).value();
  const ClusterFile file =
      parse_cluster("[[node]]\nid = 0\nport = 7000\n[[node]]\nid = 1\nport = 7001\n", "two.toml")
          .value();
  const auto plan_of = [&](const Model& model, int32_t rows) {
    return grid_plan(model, planner_cluster(file),
                     {.cut_after = {}, .grid = {rows, 1}, .granule = {}});
  };
  const Plan one = plan_of(first, 2), anew = plan_of(first, 3), other = plan_of(second, 2);
  // Given a cap that holds any of them with a quarter more
  int64_t most = 0;
  for (const auto& [model, plan] : {std::pair(&first, &one), std::pair(&first, &anew)}) {
    Cluster cluster = planner_cluster(file);
    cluster.footprint = native_footprint();
    cluster.weights = plan->weights;
    most =
        std::max(most, simulate(*model, cluster, *plan, {}, steady_stream(1)).nodes[1].peak_bytes);
  }
  const CappedNode node{.id = {1}, .memory_bytes = most * 5 / 4};
  for (const auto& [model, plan] :
       {std::pair(&first, &one), std::pair(&first, &anew), std::pair(&second, &other)})
    CHECK(may_hold(file, node, *model, *plan).ok());
  // Then a plan anew of the same model fits beside, and another model's does not
  PlansUnderCap plans(file, node);
  const HeldPlan held{&first, &one};
  CHECK(plans.may_hold(std::span(&held, 1), {&first, &anew}).ok());
  const Status refused = plans.may_hold(std::span(&held, 1), {&second, &other});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().find("beside 1 that it holds, asks for") != std::string::npos);
  CHECK(plans.may_hold({}, {&second, &other}).ok());
}
