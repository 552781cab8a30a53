// Which layers use Winograd, which windows it needs, and how a plan's text states it.
#include "partition/model/algorithm.hpp"

#include <doctest/doctest.h>

#include "partition/plan/program.hpp"
#include "partition/search/planner.hpp"
#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;

namespace {

// One layer of 32 channels on a map of `size` x `size`.
Model one_layer(int32_t size, Window window, int32_t groups = 1) {
  Model model;
  const TensorId in = add_input(model, "in", {size, size, 32});
  const int32_t weights = 32 * 32 / groups * window.kernel * window.kernel;
  const Convolution op{
      .y = window,
      .x = window,
      .groups = groups,
      .weights = add_constant(model, std::vector<float>(static_cast<size_t>(weights), 0.5F)),
      .bias = {}};
  add_output(model, "out", add_layer(model, "layer", op, {in}));
  return model;
}

std::string all(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

}  // namespace

TEST_CASE("Winograd takes plain 3x3 convolutions with enough channels on maps large enough") {
  const auto taken = [](const Model& model, WinogradUse use) {
    return !winograd_layers(whole_block(model, use)).empty();
  };
  const Window dilated{.kernel = 3, .stride = 1, .dilation = 2, .pad_begin = 2, .pad_end = 2};
  const Window five{.kernel = 5, .stride = 1, .dilation = 1, .pad_begin = 2, .pad_end = 2};
  CHECK(taken(one_layer(20, same3), WinogradUse::where_faster));
  CHECK_FALSE(taken(one_layer(20, same3), WinogradUse::never));
  CHECK(taken(one_layer(5, same3), WinogradUse::where_faster));
  CHECK_FALSE(taken(one_layer(4, same3), WinogradUse::where_faster));
  CHECK(taken(one_layer(4, same3), WinogradUse::wherever_it_fits));
  for (const Window& window : {half3, dilated, five}) {
    CHECK_FALSE(taken(one_layer(20, window), WinogradUse::wherever_it_fits));
  }
  CHECK_FALSE(taken(one_layer(20, same3, 32), WinogradUse::wherever_it_fits));
}

TEST_CASE("A Winograd tile is rounded out to groups of four, which end with the map") {
  const Shape map{19, 8, 5};
  const auto rounded = [&](Span y, Span x) {
    return computed_region(Algorithm::winograd4, map, {y, x, {1, 3}});
  };
  CHECK(rounded({5, 6}, {0, 8}) == Region{{4, 8}, {0, 8}, {1, 3}});
  CHECK(rounded({3, 17}, {4, 5}) == Region{{0, 19}, {4, 8}, {1, 3}});
  CHECK(computed_region(Algorithm::direct, map, {{5, 6}, {1, 2}, {0, 5}}) ==
        Region{{5, 6}, {1, 2}, {0, 5}});
}

TEST_CASE("A Winograd tile's window is that of the groups, and its cost counts them") {
  const Model model = one_layer(20, same3);
  const TensorId out = model.outputs[0].tensor;
  const TileProgram tile =
      tile_program(model, whole_block(model), {{out, {{5, 6}, {9, 11}, {0, 32}}}});
  REQUIRE(tile.steps.size() == 1);
  CHECK(tile.steps[0].algorithm == Algorithm::winograd4);
  CHECK(tile.steps[0].output == Region{{5, 6}, {9, 11}, {0, 32}});
  CHECK(tile.inputs[0].region == Region{{3, 9}, {7, 13}, {0, 32}});
  CHECK(macs(model, tile) == 4 * 4 * 32 * 32 * 9);
}

TEST_CASE("A plan's text lists its Winograd layers, and its hash depends on them") {
  const Model model = one_layer(20, same3);
  const PlanOptions fast{.cut_after = {}, .grid = {2, 2}};
  PlanOptions direct = fast;
  direct.winograd = WinogradUse::never;
  const Plan plan = grid_plan(model, equal_nodes(2), fast);
  CHECK(winograd_layers(plan) == std::vector<LayerId>{{0}});
  CHECK(print(plan).find("block layers 0..1 winograd 0..1\n") != std::string::npos);
  const Result<Plan> read = parse_plan(print(plan));
  REQUIRE(read.ok());
  CHECK(*read == plan);
  const Plan plain = grid_plan(model, equal_nodes(2), direct);
  CHECK(winograd_layers(plain).empty());
  CHECK(hash_of(plain) != hash_of(plan));
}

TEST_CASE("Tiles of Winograd layers meet on the grid where the map is large enough") {
  const Model model = one_layer(38, same3);
  const Plan plan = grid_plan(model, equal_nodes(3), {.cut_after = {}, .grid = {3, 1}});
  for (const Tile& tile : plan.blocks[0].tiles) CHECK(tile.outputs[0].region.y.begin % 4 == 0);
}

TEST_CASE("Winograd on unfit layers and windows that ignore its groups are defects") {
  const auto said = [](const Plan& plan, const Model& model) { return all(defects(plan, model)); };
  const Model model = one_layer(20, same3), strided = one_layer(20, half3);
  Plan plan = single_plan(strided, {1});
  plan.blocks[0].layers[0].algorithm = Algorithm::winograd4;
  CHECK(said(plan, strided).find("no 3x3 convolution of stride 1") != std::string::npos);
  plan = grid_plan(model, equal_nodes(2), {.cut_after = {}, .grid = {3, 1}});
  CHECK(said(plan, model).empty());
  plan.blocks[0].layers[0].algorithm = Algorithm::direct;
  CHECK(said(plan, model).find("reads") != std::string::npos);
}

TEST_CASE("A plan text with Winograd layers out of place is refused") {
  const std::string text = print(single_plan(one_layer(20, same3), {1}));
  const auto with = [&](const std::string& line) {
    std::string changed = text;
    const std::string from = "block layers 0..1 winograd 0..1\n";
    return changed.replace(changed.find(from), from.size(), line);
  };
  CHECK(parse_plan(with("block layers 0..1 winograd 0..1\n")).ok());
  for (const char* line :
       {"block layers 0..1 winograd\n", "block layers 0..1 winograd 1..1\n",
        "block layers 0..1 winograd 7..8\n", "block layers 0..1 winograd 0..1 0..1\n",
        "block layers 0..2 winograd 1..2 0..1\n", "block layers 0..1 winograd 0..1 winograd 0..1\n",
        "block layers 0..1 wino 0..1\n"}) {
    CAPTURE(line);
    CHECK_FALSE(parse_plan(with(line)).ok());
  }
}
