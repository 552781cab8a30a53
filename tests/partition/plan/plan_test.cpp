// Plans as values: tile ids, homes, inputs and outputs of a block, and the hash.
#include "partition/plan/plan.hpp"

#include <doctest/doctest.h>

#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;

TEST_CASE("tile ids count over all blocks") {
  const Model model = chain(12);
  const Plan plan = grid_plan(model, equal_nodes(2), {.cut_after = {{0}}, .grid = {2, 3}});
  REQUIRE(plan.blocks.size() == 2);
  CHECK(tile_count(plan) == 12);
  for (uint32_t id = 0; id < 12; ++id) {
    CHECK(tile(plan, {id}).id == TileId{id});
    CHECK(block_of(plan, {id}) == (id < 6 ? 0 : 1));
  }
}

TEST_CASE("homes are ascending and without repeats") {
  const Model model = chain(12);
  Plan plan = grid_plan(model, equal_nodes(3), {.cut_after = {}, .grid = {3, 2}});
  CHECK(homes(plan) == std::vector<NodeId>{{1}, {2}, {3}});
  for (Tile& tile : plan.blocks[0].tiles) tile.home = NodeId{9};
  CHECK(homes(plan) == std::vector<NodeId>{{9}});
}

TEST_CASE("a skip over a block is an input of the block that reads it, constants are not") {
  Model model;
  const TensorId frame = add_input(model, "frame", {8, 8, 4});
  const TensorId scale = add_constant_tensor(model, "scale", {1, 1, 4}, {1, 2, 3, 4});
  const TensorId a = add_layer(model, "a", Binary{Binary::Kind::mul}, {frame, scale});
  const TensorId b = add_conv(model, a, 4, same3);
  const TensorId c = add_conv(model, b, 4, same3);
  const TensorId sum = add_layer(model, "sum", Binary{}, {a, c});
  add_output(model, "b", b);
  add_output(model, "sum", sum);
  const FusedBlock first{.layers = {{0}}, .tiles = {}};
  const FusedBlock middle{.layers = {{1}, {2}}, .tiles = {}};
  const FusedBlock last{.layers = {{3}}, .tiles = {}};

  CHECK(block_inputs(model, first) == std::vector{frame});
  CHECK(block_outputs(model, first) == std::vector{a});
  CHECK(block_inputs(model, middle) == std::vector{a});
  CHECK(block_outputs(model, middle) == std::vector{b, c});  // b: the model's output
  CHECK(block_inputs(model, last) == std::vector{a, c});
  CHECK(block_outputs(model, last) == std::vector{sum});
}

TEST_CASE("weights at home are kept by the homes of a block with tiles of the same channels") {
  const Model model = chain(12);
  Plan plan = grid_plan(model, equal_nodes(2), {.cut_after = {{0}}, .grid = {2, 1}});
  REQUIRE(tile_count(plan) == 4);
  Tile& lower = plan.blocks[1].tiles[1];
  for (Tile& tile : plan.blocks[1].tiles) tile.home = NodeId{1};
  CHECK(keeps_weights(plan, {2}, {3}));
  plan.weights = WeightPlaces::at_home;
  CHECK(keeps_weights(plan, {2}, {0}));  // a home of block 0, but not of this tile
  CHECK_FALSE(keeps_weights(plan, {2}, {3}));
  CHECK_FALSE(keeps_weights(plan, {9}, {0}));
  lower.home = NodeId{2};
  CHECK(keeps_weights(plan, {2}, {2}));
  lower.outputs[0].region.c.end -= 1;  // other weights than its neighbour's
  CHECK_FALSE(keeps_weights(plan, {2}, {2}));
}

TEST_CASE("the hash names what is computed where, not what was predicted") {
  const Model model = chain(12);
  const Plan plan = grid_plan(model, equal_nodes(2), {.cut_after = {}, .grid = {2, 2}});
  Plan slower = plan;
  slower.predicted.latency += Duration(1);
  CHECK(hash_of(slower) == hash_of(plan));
  Plan elsewhere = plan;
  elsewhere.blocks[0].tiles[0].home = NodeId{2};
  CHECK(hash_of(elsewhere) != hash_of(plan));
}
