// defects(): finds every planted fault, and none in a sound plan.
#include <doctest/doctest.h>

#include "partition/model/demand.hpp"
#include "partition/model/receptive_field.hpp"
#include "partition/plan/plan.hpp"
#include "partition/plan/routes.hpp"
#include "tests/partition/dependencies.hpp"
#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;
using networks::Random;

namespace {

struct Sample {
  Model model = chain(13);
  Plan plan = grid_plan(model, equal_nodes(4), {.cut_after = {{0}}, .grid = {3, 3}});
  Tile& tile(size_t block, size_t index) { return plan.blocks[block].tiles[index]; }

  void finds(const std::string& expected) const {
    std::string all;
    for (const std::string& defect : defects(plan, model)) all += defect + "\n";
    INFO(all);
    CHECK(all.find(expected) != std::string::npos);
  }
};

Span random_part(Random& random, int32_t size) {
  const int32_t begin = random.between(0, size - 1);
  return {begin, random.between(begin + 1, std::min(size, begin + 4))};
}

}  // namespace

TEST_CASE("a sound plan has no defects") { CHECK(defects(Sample{}.plan, Sample{}.model).empty()); }

TEST_CASE("a missing tile is found") {
  Sample sample;
  sample.plan.blocks[1].tiles.pop_back();
  sample.finds("tiles cover 576 of the 676 elements");
}

TEST_CASE("overlapping outputs are found") {
  Sample sample;
  sample.tile(1, 0).outputs[0].region.x.end += 1;
  sample.finds("two tiles put out");
}

TEST_CASE("a window one row short is found") {
  Sample sample;
  sample.tile(1, 4).inputs[0].region.y.end -= 1;
  sample.finds("tile 13 reads");
}

TEST_CASE("a window one column too wide is found") {
  Sample sample;
  sample.tile(1, 4).inputs[0].region.x.begin -= 1;
  sample.finds("tile 13 reads");
}

TEST_CASE("a window that is not there or not needed is found") {
  Sample sample;
  sample.tile(1, 4).inputs.clear();
  sample.finds("tile 13 has no window on tensor");
  Sample second;
  second.tile(1, 4).inputs.insert(second.tile(1, 4).inputs.begin(),
                                  Slice{{0}, {{0, 1}, {0, 1}, {0, 1}}});
  second.finds("which it does not need");
}

TEST_CASE("a home outside the cluster is found") {
  Sample sample;
  const std::vector<NodeId> members{{1}, {2}, {3}, {4}};
  CHECK(defects(sample.plan, sample.model, members).empty());
  sample.tile(0, 3).home = NodeId{5};
  const std::vector<std::string> found = defects(sample.plan, sample.model, members);
  REQUIRE(found.size() == 1);
  CHECK(found[0] == "tile 3 has its home at node 5, which is no member of the cluster");
}

TEST_CASE("swapped blocks are found") {
  Sample sample;
  std::swap(sample.plan.blocks[0], sample.plan.blocks[1]);
  sample.finds("which is made later in block 1");
}

TEST_CASE("layers that are lost, doubled, unknown or out of order are found") {
  Sample lost;
  lost.plan.blocks[1].layers.pop_back();
  lost.finds("layer 2 stands in no block");
  Sample doubled;
  doubled.plan.blocks[1].layers.insert(doubled.plan.blocks[1].layers.begin(),
                                       BlockLayer{LayerId{0}});
  doubled.finds("layer 0 stands in two blocks");
  Sample unknown;
  unknown.plan.blocks[1].layers.push_back({77});
  unknown.finds("layer 77, which the model does not have");
  Sample disordered;
  std::swap(disordered.plan.blocks[1].layers[0], disordered.plan.blocks[1].layers[1]);
  disordered.finds("block 1 is not ascending");
}

TEST_CASE("a block without layers is found") {
  Sample sample;
  sample.plan.blocks.push_back({});
  sample.finds("block 2 holds no layer");
}

TEST_CASE("wrong ids, tensors, boxes, costs, formats and models are found") {
  Sample ids;
  ids.tile(1, 0).id = {3};
  ids.finds("tile 3 stands where tile 9 should");
  Sample tensor;
  tensor.tile(0, 0).outputs[0].tensor = {1000};
  tensor.finds("a tensor that the model does not have");
  Sample inner;
  inner.tile(1, 0).outputs[0].tensor = inner.model.layers[1].output;
  inner.finds("which is no output of block 1");
  Sample off;
  off.tile(1, 8).outputs[0].region.y.end = 14;
  off.finds("lies off tensor");
  Sample empty;
  empty.tile(1, 8).outputs[0].region.y = {9, 9};
  empty.finds("is empty");
  Sample inverted;
  inverted.tile(1, 8).outputs[0].region.c = {4, INT32_MIN};
  inverted.finds("is empty");
  Sample cost;
  cost.tile(0, 0).macs = -1;
  cost.finds("negative cost");
  Sample wire;
  wire.plan.wire[0] = WireFormat::u8;
  wire.finds("is sent in a format that is not its own");
  Sample formats;
  formats.plan.wire.pop_back();
  formats.finds("wire formats for a model of");
  Sample model;
  model.plan.model.bytes[0] ^= 1;
  model.finds("made for another model");
  Sample image;
  image.plan.image.emplace();
  image.finds("image is not what the model takes");
}

TEST_CASE("any change to any box of a plan is a defect") {
  Random random(30);
  for (int round = 0; round < 300; ++round) {
    const Model model = networks::random_model(random);
    Plan plan = random_plan(random, model);
    FusedBlock& block = plan.blocks[random.next() % plan.blocks.size()];
    if (block.tiles.empty()) continue;
    Tile& tile = block.tiles[random.next() % block.tiles.size()];
    std::vector<Slice>& slices =
        random.chance(0.5) || tile.inputs.empty() ? tile.outputs : tile.inputs;
    Region& region = slices[random.next() % slices.size()].region;
    Span& span = random.chance(0.4) ? region.y : random.chance(0.7) ? region.x : region.c;
    (random.chance(0.5) ? span.begin : span.end) += random.chance(0.5) ? 1 : -1;
    INFO("seed 30, round " << round);
    REQUIRE_FALSE(defects(plan, model).empty());
  }
}

TEST_CASE("whatever text comes, it is refused or can be routed") {
  Random random(32);
  const Sample sample;
  const std::string good = print(sample.plan);
  int taken = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string text = good;
    const std::string pool = "0123456789-";
    for (int i = random.between(1, 2); i > 0; --i) {
      size_t at = random.next() % text.size();
      while (text[at] < '0' || text[at] > '9') at = (at + 1) % text.size();
      text[at] = pool[random.next() % pool.size()];
    }
    const Result<Plan> plan = parse_plan(text);
    if (!plan.ok() || !defects(*plan, sample.model).empty()) continue;
    REQUIRE(make_routes(sample.model, *plan).waits_for.size() == 18);
    ++taken;
  }
  CHECK(taken > 0);  // other homes, other costs
}

TEST_CASE("the receptive field by axes is the one found element by element") {
  Random random(31);
  for (int round = 0; round < 150; ++round) {
    const Model model = networks::random_model(random);
    for (const Layer& layer : model.layers) {
      const Shape shape = model.at(layer.output).shape;
      const Region out{random_part(random, shape.h), random_part(random, shape.w),
                       random_part(random, shape.c)};
      for (size_t input = 0; input < layer.inputs.size(); ++input) {
        INFO("seed 31, round " << round << ", " << layer.name << " " << to_string(out));
        const Region field = receptive_field(model, layer, input, out);
        REQUIRE(field == oracle::dependency_hull(model, layer, input, out));
        REQUIRE(field == demand(model, layer, input, out));
      }
    }
  }
}

TEST_CASE("a plan whose routes would fill the memory is refused") {
  // given: two blocks of 1200 one-pixel tiles, the second reading the whole map for each
  Model model;
  const TensorId frame = add_input(model, "frame", {1, 1200, 1});
  const TensorId a = add_layer(model, "a", Elementwise{}, {frame});
  const TensorId b = add_layer(model, "b", Softmax{.axis = Axis::x}, {a});
  add_output(model, "out", b);
  Plan plan;
  plan.model = model.hash;
  plan.wire.assign(model.tensors.size(), WireFormat::f32);
  for (uint32_t i = 0; i < 2; ++i) {
    FusedBlock block{.layers = {{i}}, .tiles = {}};
    for (int32_t x = 0; x < 1200; ++x) {
      const Region pixel{{0, 1}, {x, x + 1}, {0, 1}};
      const Region window = i == 0 ? pixel : whole({1, 1200, 1});
      block.tiles.push_back({.id = {i * 1200 + static_cast<uint32_t>(x)},
                             .inputs = {{i == 0 ? frame : a, window}},
                             .outputs = {{i == 0 ? a : b, pixel}},
                             .home = {static_cast<uint32_t>(x)}});
    }
    plan.blocks.push_back(std::move(block));
  }
  CHECK(defects(plan, model) ==
        std::vector<std::string>{"tiles read from one another more than 1048576 times"});
}
