// The planner: cuts as given, grids that fit, and work distributed over the nodes.
#include "partition/search/planner.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "partition/plan/plan_summary.hpp"
#include "partition/plan/program.hpp"
#include "partition/search/plan_search.hpp"
#include "partition/search/tiling.hpp"
#include "partition/simulation/plan_cost.hpp"
#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;
using networks::Random;

namespace {

void sound(const Plan& plan, const Model& model) {
  std::string all;
  for (const std::string& defect : defects(plan, model)) all += defect + "\n";
  INFO(all);
  REQUIRE(all.empty());
}

// An allowance for tests that make many plans.
constexpr int64_t little = 20'000;

Goal random_goal(Random& random) {
  Goal goal;
  goal.kind = static_cast<Goal::Kind>(random.between(0, 3));
  if (random.chance(0.7)) goal.owner = NodeId{static_cast<uint32_t>(random.between(0, 9))};
  goal.open_frames = random.between(1, 4);
  if (random.chance(0.2)) goal.deadline = Duration(random.between(1, 1'000'000));
  return goal;
}

std::vector<Span> rows_of(const FusedBlock& block) {
  std::vector<Span> rows;
  for (const Tile& tile : block.tiles) {
    const Span span = tile.outputs[0].region.y;
    if (rows.empty() || !(rows.back() == span)) rows.push_back(span);
  }
  return rows;
}

std::vector<uint32_t> homes_of(const FusedBlock& block) {
  std::vector<uint32_t> homes;
  for (const Tile& tile : block.tiles) homes.push_back(tile.home.value);
  return homes;
}

// A squeeze-and-excite branch between two convolutions.
Model squeezed() {
  Model model;
  const TensorId frame = add_input(model, "frame", {16, 16, 4});
  const TensorId a = add_conv(model, frame, 4, same3);
  const TensorId mean = add_layer(model, "mean", Reduction{.kind = {}, .y = true, .x = true}, {a});
  const TensorId gate = add_conv(model, mean, 4, Window{});
  const TensorId b = add_layer(model, "gated", Binary{Binary::Kind::mul}, {a, gate});
  add_output(model, "out", add_conv(model, b, 4, same3));
  return model;
}

}  // namespace

TEST_CASE("any network on any grid with any cuts is a sound plan") {
  Random random(50);
  for (int round = 0; round < 600; ++round) {
    INFO("seed 50, round " << round);
    const Model model = networks::random_model(random);
    sound(random_plan(random, model), model);
  }
}

TEST_CASE("chosen plans of random networks are sound") {
  Random random(51);
  for (int round = 0; round < 100; ++round) {
    INFO("seed 51, round " << round);
    const Model model = networks::random_model(random);
    const Cluster cluster = equal_nodes(static_cast<uint32_t>(random.between(1, 9)));
    const Result<Found> found = find_plan(model, cluster, random_goal(random), little);
    REQUIRE(found.ok());
    sound(found->plan, model);
  }
}

TEST_CASE("tiles are a proportional cut") {
  const Model model = chain(19);
  const Plan six = grid_plan(model, equal_nodes(1), {.cut_after = {}, .grid = {6, 1}});
  CHECK(rows_of(six.blocks[0]) ==
        std::vector<Span>{{0, 3}, {3, 6}, {6, 9}, {9, 12}, {12, 15}, {15, 19}});
  const Model small = chain(7);
  const Plan five = grid_plan(small, equal_nodes(1), {.cut_after = {}, .grid = {5, 1}});
  CHECK(rows_of(five.blocks[0]) == std::vector<Span>{{0, 1}, {1, 2}, {2, 4}, {4, 5}, {5, 7}});
}

TEST_CASE("a grid larger than the map shrinks to it") {
  const Model model = chain(2);
  const Plan plan = grid_plan(model, equal_nodes(8), {.cut_after = {}, .grid = {5, 7}});
  CHECK(plan.blocks[0].tiles.size() == 4);
  sound(plan, model);
}

TEST_CASE("no tile of any grid on any map is empty, and together they are the map") {
  for (int32_t size = 1; size < 25; ++size) {
    for (int32_t parts = 1; parts < 30; ++parts) {
      for (int32_t granule = 1; granule < 6; ++granule) {
        const Shape shape{size, 3, 1};
        const GridCut grid = fitting({parts, 1}, {shape}, {granule, 1, 1});
        int32_t reached = 0;
        for (int32_t row = 0; row < grid.rows; ++row) {
          const Region tile = tile_region(shape, grid, row, 0, {granule, 1, 1});
          REQUIRE(tile.y.begin == reached);
          REQUIRE(tile.y.end > reached);
          REQUIRE((tile.y.end % granule == 0 || tile.y.end == size));
          reached = tile.y.end;
        }
        REQUIRE(reached == size);
      }
    }
  }
}

TEST_CASE("outputs of different resolution are cut alike") {
  Model model;
  const TensorId frame = add_input(model, "frame", {26, 26, 2});
  const TensorId large = add_conv(model, frame, 2, same3);
  const TensorId small = add_conv(model, large, 2, half3);
  add_output(model, "large", large);
  add_output(model, "small", small);
  const Plan plan = grid_plan(model, equal_nodes(4), {.cut_after = {}, .grid = {4, 1}});
  const Tile& second = plan.blocks[0].tiles[1];
  CHECK(second.outputs[0].region.y == Span{6, 13});
  CHECK(second.outputs[1].region.y == Span{3, 6});
  sound(plan, model);
}

TEST_CASE("what needs the whole map is one tile where it stands") {
  const Model model = squeezed();
  const Plan plan = grid_plan(model, equal_nodes(4), {.cut_after = {}, .grid = {2, 2}});
  REQUIRE(plan.blocks.size() == 3);
  CHECK(plan.blocks[0].tiles.size() == 4);
  CHECK(layer_ids(plan.blocks[1]) == std::vector<LayerId>{{1}, {2}});
  CHECK(plan.blocks[1].tiles.size() == 1);
  CHECK(plan.blocks[2].tiles.size() == 4);
  sound(plan, model);
}

TEST_CASE("a softmax down the rows of a map is one tile") {
  Model model;
  const TensorId frame = add_input(model, "frame", {8, 8, 2});
  const TensorId a = add_conv(model, frame, 2, same3);
  add_output(model, "out", add_layer(model, "softmax", Softmax{.axis = Axis::y}, {a}));
  const Plan plan = grid_plan(model, equal_nodes(2), {.cut_after = {}, .grid = {2, 2}});
  REQUIRE(plan.blocks.size() == 2);
  CHECK(plan.blocks[0].tiles.size() == 4);
  CHECK(plan.blocks[1].tiles.size() == 1);
}

TEST_CASE("a product is cut like its first operand, behind a block that makes the second one") {
  // given: scores of all pixels against all, and a sum of the pixels weighted by them
  Model model;
  const TensorId frame = add_input(model, "frame", {8, 8, 2});
  const TensorId a = add_conv(model, frame, 2, same3);
  const TensorId scores = add_layer(model, "scores", MatrixProduct{.turned = true}, {a, a});
  add_output(model, "out", add_layer(model, "sum", MatrixProduct{}, {scores, a}));
  const Plan plan = grid_plan(model, equal_nodes(4), {.cut_after = {}, .grid = {2, 2}});
  sound(plan, model);
  REQUIRE(plan.blocks.size() == 2);
  CHECK(plan.blocks[0].tiles.size() == 4);
  CHECK(layer_ids(plan.blocks[1]) == std::vector<LayerId>{{1}, {2}});
  REQUIRE(plan.blocks[1].tiles.size() == 4);
  for (const Tile& tile : plan.blocks[1].tiles) {
    REQUIRE(tile.inputs.size() == 1);
    CHECK(tile.inputs[0].region == whole({8, 8, 2}));
    CHECK(tile.outputs[0].region.shape() == Shape{4, 4, 2});
  }
}

TEST_CASE("maps flattened into a row are cut by columns behind all heads") {
  // given: two heads of different resolution, each flattened at once, then joined
  Model model;
  const TensorId frame = add_input(model, "frame", {8, 8, 2});
  const auto flat = [&](TensorId map) {
    const int32_t side = model.at(map).shape.h;
    return add_layer(model, "flat",
                     Rearrange{.factors = {side, side, 2},
                               .input_axes = {{{0}, {1}, {2}}},
                               .output_axes = {{{}, {0, 1}, {2}}}},
                     {map});
  };
  const TensorId first = flat(add_conv(model, frame, 2, same3));
  const TensorId second = flat(add_conv(model, frame, 2, half3));
  add_output(model, "out", add_layer(model, "join", Concat{Axis::x}, {first, second}));
  const Plan plan = grid_plan(model, equal_nodes(4), {.cut_after = {}, .grid = {2, 2}});
  sound(plan, model);
  REQUIRE(plan.blocks.size() == 2);
  CHECK(layer_ids(plan.blocks[0]) == std::vector<LayerId>{{0}, {2}});  // both convolutions
  REQUIRE(plan.blocks[1].tiles.size() == 4);
  CHECK(plan.blocks[1].tiles[1].outputs[0].region == Region{{0, 1}, {20, 40}, {0, 2}});
}

TEST_CASE("layers whose output nobody reads join a neighbouring block") {
  Model model;
  const TensorId frame = add_input(model, "frame", {8, 8, 2});
  const TensorId a = add_conv(model, frame, 2, same3);
  add_conv(model, a, 2, same3);
  add_output(model, "out", a);
  const Plan plan = grid_plan(model, equal_nodes(2), {.cut_after = {{0}}, .grid = {2, 1}});
  sound(plan, model);
  CHECK(plan.blocks.size() == 1);
}

TEST_CASE("homes get contiguous runs of tiles in proportion to their speeds") {
  const Model model = chain(16);
  Cluster cluster = equal_nodes(4);
  const PlanOptions options{.cut_after = {}, .grid = {4, 2}};
  CHECK(homes_of(grid_plan(model, cluster, options).blocks[0]) ==
        std::vector<uint32_t>{1, 1, 2, 2, 3, 3, 4, 4});
  cluster.nodes[1].gflops *= 5.0;
  CHECK(homes_of(grid_plan(model, cluster, options).blocks[0]) ==
        std::vector<uint32_t>{1, 2, 2, 2, 2, 2, 3, 4});
}

TEST_CASE("a tile goes where its middle falls") {
  Cluster cluster = equal_nodes(2);
  CHECK(runs(cluster, 5) == std::vector<size_t>{0, 0, 1, 1, 1});
  CHECK(runs(equal_nodes(4), 2) == std::vector<size_t>{1, 3});
  cluster.nodes[0].gflops *= 3.0;
  CHECK(runs(cluster, 3) == std::vector<size_t>{0, 0, 1});
  cluster.nodes[0].gflops = 0.0;  // without gflops a node gets nothing
  CHECK(runs(cluster, 3) == std::vector<size_t>{1, 1, 1});
  cluster.nodes[0].gflops = std::numeric_limits<double>::quiet_NaN();
  CHECK(runs(cluster, 3) == std::vector<size_t>{1, 1, 1});
}

TEST_CASE("clusters of any number of nodes at any claimed speed get a sound plan") {
  const double claims[] = {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), 1e-3, 2.0, 50.0};
  Model one_layer;
  const TensorId frame = add_input(one_layer, "frame", {7, 5, 3});
  add_output(one_layer, "out", add_conv(one_layer, frame, 4, same3));
  const Model networks[] = {chain(19), squeezed(), std::move(one_layer)};
  for (const Model& model : networks) {
    for (uint32_t count : {1U, 2U, 3U, 7U, 64U, 65U}) {
      Cluster cluster = equal_nodes(count);
      for (size_t i = 0; i < count; ++i) cluster.nodes[i].gflops = claims[i % std::size(claims)];
      const Result<Found> found = find_plan(model, cluster, {}, little);
      REQUIRE(found.ok());
      sound(found->plan, model);
      CHECK(found->plan.predicted.latency > Duration::zero());
      CHECK(found->plan.predicted.period > Duration::zero());
    }
  }
}

TEST_CASE("a tile's costs are those of its program") {
  const Model model = chain(16);
  const Plan plan = grid_plan(model, equal_nodes(2), {.cut_after = {}, .grid = {2, 1}});
  const Tile& tile = plan.blocks[0].tiles[0];
  // rows 10, 9 and 8 of the three layers, 16 columns, 4 channels from 3 or 4
  CHECK(tile.macs == (10 * 3 + 9 * 4 + 8 * 4) * 16 * 4 * 9);
  // the first two buffers exist at the same time, then the last two
  CHECK(tile.peak_bytes == (10 + 9) * 16 * 4 * 4);
}

TEST_CASE("one tile on one node computes every layer once") {
  const Model model = chain(16);
  const Plan plan = single_plan(model, {3});
  sound(plan, model);
  REQUIRE(tile_count(plan) == 1);
  CHECK(tile(plan, {0}).home == NodeId{3});
  CHECK(tile(plan, {0}).macs == total_macs(model));
  CHECK(plan.blocks[0].layers == whole_block(model).layers);
  CHECK(tile(plan, {0}).inputs == whole_program(model).inputs);
}

TEST_CASE("common networks are spread over four nodes" * doctest::test_suite("long")) {
  for (const std::string& name : networks::names()) {
    INFO(name);
    if (name == "tiny") continue;  // too small to gain from a wire
    const Result<Model> model = networks::make(name);
    REQUIRE(model.ok());
    const Result<Plan> plan = make_plan(*model, equal_nodes(4));
    REQUIRE(plan.ok());
    sound(*plan, *model);
    const PlanSummary summary = summarize(*plan, *model);
    CHECK(summary.spread_share >= 0.9);
    REQUIRE(summary.nodes.size() == 4);
    for (const NodeShare& node : summary.nodes) {
      CHECK(node.share > 0.2);
      CHECK(node.share < 0.3);
    }
    for (const FusedBlock& block : plan->blocks) CHECK(block.tiles.size() <= 64);
    CHECK(summary.macs < 2 * summary.model_macs);
    CHECK(print(*make_plan(*model, equal_nodes(4))) == print(*plan));
  }
}

TEST_CASE("more than six nodes all get work" * doctest::test_suite("long")) {
  const Result<Model> model = networks::make("yolov8n");
  REQUIRE(model.ok());
  for (uint32_t nodes : {7U, 8U, 12U}) {
    const Result<Plan> plan = make_plan(*model, equal_nodes(nodes));
    REQUIRE(plan.ok());
    sound(*plan, *model);
    CHECK(homes(*plan).size() == nodes);
  }
}

TEST_CASE("a node four times as fast gets about four times the work" *
          doctest::test_suite("long")) {
  const Result<Model> model = networks::make("yolov2_front");
  REQUIRE(model.ok());
  Cluster cluster = equal_nodes(4);
  cluster.nodes[2].gflops = 16.0;
  const Result<Plan> plan = make_plan(*model, cluster);
  REQUIRE(plan.ok());
  const PlanSummary summary = summarize(*plan, *model);
  CHECK(summary.nodes[2].share > 0.45);
  CHECK(summary.nodes[2].share < 0.65);
}

TEST_CASE("a plan for slow wires sends less, and is the faster one there" *
          doctest::test_suite("long")) {
  const Result<Model> model = networks::make("yolov2_front");
  REQUIRE(model.ok());
  Cluster slow = equal_nodes(4), fast = equal_nodes(4);
  for (ClusterNode& node : slow.nodes) node.link_mbps = 2.0;
  for (ClusterNode& node : fast.nodes) node.link_mbps = 10'000.0;
  const Result<Plan> frugal = make_plan(*model, slow), lavish = make_plan(*model, fast);
  REQUIRE(frugal.ok());
  REQUIRE(lavish.ok());
  CHECK(frugal->predicted.wire_bytes < lavish->predicted.wire_bytes);
  CHECK(frugal->predicted.latency < predict(*model, slow, *lavish).latency);
}

TEST_CASE("a plan that does not fit is refused with the smallest cap that would do" *
          doctest::test_suite("long")) {
  const Result<Model> model = networks::make("yolov2_front", 304);
  REQUIRE(model.ok());
  Cluster cluster = equal_nodes(4);
  const auto cap_all = [&](double mebibytes) {
    for (ClusterNode& node : cluster.nodes) {
      node.memory_bytes = static_cast<int64_t>(mebibytes * (1 << 20));
    }
  };
  cap_all(1.0);
  const Result<Plan> refused = make_plan(*model, cluster);
  REQUIRE_FALSE(refused.ok());
  INFO(refused.error());
  CHECK(refused.error().find("no plan was found that fits: ") == 0);
  const std::string named = "the smallest cap that fits is ";
  const size_t at = refused.error().find(named);
  REQUIRE(at != std::string::npos);
  // when: the cap is exactly that
  cap_all(std::stod(refused.error().substr(at + named.size())));
  const Result<Found> found = find_plan(*model, cluster, {});
  REQUIRE(found.ok());
  sound(found->plan, *model);
  for (const NodeLoad& load : found->stream.nodes) {
    CHECK(load.peak_bytes <= cluster.nodes[0].memory_bytes);
  }
}

TEST_CASE("a cluster without nodes is refused") {
  CHECK(make_plan(chain(8), {}).error() == "a plan needs at least one node that computes");
}
