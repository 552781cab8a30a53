// Which layers may be cut, and along which axis.
#include "partition/search/layer_order.hpp"

#include <doctest/doctest.h>

#include "partition/model/demand.hpp"
#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;

namespace {

// A network of two layers: a convolution and a mean of its map.
Model mean_of(Shape frame, Reduction mean) {
  Model model;
  const TensorId map = add_conv(model, add_input(model, "frame", frame), 4, same3);
  add_output(model, "out", add_layer(model, "mean", mean, {map}));
  return model;
}

MapKind kind_of_mean(Shape frame, Reduction mean) {
  const Model model = mean_of(frame, mean);
  return layer_order(model).kinds.at(1);
}

}  // namespace

TEST_CASE("a mean is cut along the axes that it keeps") {
  CHECK(kind_of_mean({32, 32, 4}, {.x = true}) == MapKind::column);
  CHECK(kind_of_mean({32, 32, 4}, {.x = true, .c = true}) == MapKind::column);
  CHECK(kind_of_mean({32, 32, 4}, {.y = true}) == MapKind::row);
  CHECK(kind_of_mean({32, 32, 4}, {.c = true}) == MapKind::map);
  CHECK(kind_of_mean({32, 32, 4}, {.y = true, .x = true}) == MapKind::whole);
}

TEST_CASE("the mean of each row is computed where the row lies") {
  const Model model = mean_of({32, 32, 4}, {.x = true});
  const Plan plan = grid_plan(model, equal_nodes(4), {.cut_after = {}, .grid = {4, 1}});
  REQUIRE(plan.blocks.size() == 2);
  REQUIRE(plan.blocks[1].tiles.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    CHECK(plan.blocks[1].tiles[i].inputs.at(0).region ==
          plan.blocks[0].tiles[i].outputs.at(0).region);
    CHECK(plan.blocks[1].tiles[i].home == plan.blocks[0].tiles[i].home);
  }
}

TEST_CASE("a softmax along each row is cut nowhere, since only means and moves are") {
  Model model;
  const TensorId map = add_conv(model, add_input(model, "frame", {32, 32, 4}), 4, same3);
  add_output(model, "out", add_layer(model, "softmax", Softmax{.axis = Axis::x}, {map}));
  CHECK(layer_order(model).kinds.at(1) == MapKind::whole);
}

TEST_CASE("a thin map is judged along its length") {
  // given: even and odd columns become two rows, rows become channels
  Model model;
  const TensorId map = add_conv(model, add_input(model, "frame", {4, 128, 4}), 4, same3);
  const Rearrange apart{.factors = {4, 64, 2, 4},
                        .input_axes = {{{0}, {1, 2}, {3}}},
                        .output_axes = {{{2}, {1}, {0, 3}}}};
  add_output(model, "out", add_layer(model, "apart", apart, {map}));
  REQUIRE_FALSE(is_spatially_local(model, model.at(LayerId{1})));
  CHECK(layer_order(model).kinds.at(1) == MapKind::row);
}
