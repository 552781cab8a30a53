// Sound plans of the target's own models, with one or two changes of their structure. Changed bytes
// alone seldom get past the first checks.
#include <doctest/doctest.h>

#include "tests/fuzz/target.hpp"
#include "tests/partition/plan/random_plans.hpp"

namespace shingle::fuzz {
namespace {

using networks::Random;

Span& some_span(Random& random, Region& region) {
  return random.chance(0.4) ? region.y : random.chance(0.7) ? region.x : region.c;
}

// Changes a window or an output: its box, its tensor, or the number of times it is there.
void change_slices(Random& random, std::vector<Slice>& slices) {
  if (slices.empty()) return slices.push_back({{0}, {{0, 1}, {0, 1}, {0, 1}}});
  Slice& slice = slices[random.next() % slices.size()];
  Span& span = some_span(random, slice.region);
  switch (random.between(0, 4)) {
    case 0:
      return slices.pop_back();
    case 1:
      return slices.push_back(slice);
    case 2:
      slice.tensor = {static_cast<uint32_t>(random.between(0, 12))};
      return;
    case 3:
      span = {span.begin, span.begin};
      return;
    default:
      (random.chance(0.5) ? span.begin : span.end) += random.between(-4, 4);
  }
}

void change_layers(Random& random, std::vector<BlockLayer>& layers) {
  const BlockLayer layer{{static_cast<uint32_t>(random.between(0, 12))}};
  if (layers.empty() || random.chance(0.4)) return layers.push_back(layer);
  if (random.chance(0.3)) return layers.pop_back();
  if (random.chance(0.5)) std::swap(layers.front(), layers.back());
  layers.front() = layer;
}

void change_algorithm(Random& random, std::vector<BlockLayer>& layers) {
  if (layers.empty()) return;
  Algorithm& algorithm = layers[random.next() % layers.size()].algorithm;
  algorithm = algorithm == Algorithm::direct ? Algorithm::winograd4 : Algorithm::direct;
}

void change_tile(Random& random, Tile& tile) {
  switch (random.between(0, 4)) {
    case 0:
      return change_slices(random, tile.inputs);
    case 1:
      return change_slices(random, tile.outputs);
    case 2:
      tile.id.value += 1;
      return;
    case 3:
      tile.home = {static_cast<uint32_t>(random.between(0, 20))};
      return;
    default:
      tile.macs = -1;
  }
}

void change(Random& random, Plan& plan) {
  FusedBlock& block = plan.blocks[random.next() % plan.blocks.size()];
  switch (random.between(0, 8)) {
    case 0:
      return change_layers(random, block.layers);
    case 1:
      return change_algorithm(random, block.layers);
    case 2:
      std::swap(block, plan.blocks.front());
      return;
    case 3:
      plan.wire[random.next() % plan.wire.size()] =
          random.chance(0.5) ? WireFormat::u8 : WireFormat::f32;
      return;
    case 4:
      return random.chance(0.5) ? plan.wire.pop_back() : plan.blocks.pop_back();
    default:
      if (!block.tiles.empty())
        change_tile(random, block.tiles[random.next() % block.tiles.size()]);
  }
}

TEST_CASE("the plan reader takes sound plans, and those in which a thing or two are changed") {
  const uint64_t seed = 20261122;
  INFO("seed ", seed);
  Random random(seed);
  for (const Model& model : plan_models()) {
    for (int round = 0; round < 100; ++round) {
      Plan made = random_plan(random, model);
      made.model = model.hash;
      for (int changes = random.between(0, 2);
           changes > 0 && !made.blocks.empty() && !made.wire.empty(); --changes)
        change(random, made);
      const std::string text = print(made);
      plan(std::as_bytes(std::span(text)));
    }
  }
}

}  // namespace
}  // namespace shingle::fuzz
