// What a node expects of a tile, from the times of its own tiles.
#include "runtime/node/tiles/compute_speed.hpp"

#include <doctest/doctest.h>

namespace shingle {
namespace {

using std::chrono::milliseconds;

// Tiles of these MACs, all of one block.
struct OneBlock {
  std::vector<Tile> tiles;
  KnownPlan plan;

  explicit OneBlock(const std::vector<int64_t>& macs) : tiles(macs.size()) {
    for (size_t i = 0; i < macs.size(); ++i) {
      tiles[i].macs = macs[i];
      plan.tiles.push_back(&tiles[i]);
    }
    plan.block_of_tile.assign(macs.size(), 0);
    plan.measured.resize(1);
  }
};

TEST_CASE("nothing is expected of the first tile") {
  OneBlock block({1000});
  CHECK(ComputeSpeed().expected(block.plan, {0}) == Duration::zero());
}

TEST_CASE("a tile takes as long as other tiles of its block, or as its work says") {
  OneBlock block({1000, 4000});
  ComputeSpeed speed;
  speed.measure(block.plan, {0}, milliseconds(10));
  CHECK(speed.expected(block.plan, {0}) == milliseconds(10));
  CHECK(speed.expected(block.plan, {1}) == milliseconds(40));
  speed.measure(block.plan, {1}, milliseconds(40));
  CHECK(speed.expected(block.plan, {0}) > milliseconds(10));
}

// Otherwise the first tile with work looks like a hang, and its time counts as a few microseconds.
TEST_CASE("tiles that only move elements say nothing about tiles with work") {
  OneBlock block({0, 1000});
  ComputeSpeed speed;
  speed.measure(block.plan, {0}, std::chrono::microseconds(1));
  CHECK(speed.expected(block.plan, {0}) == std::chrono::microseconds(1));
  CHECK(speed.expected(block.plan, {1}) == Duration::zero());
  speed.measure(block.plan, {1}, milliseconds(800));
  CHECK(speed.expected(block.plan, {1}) == milliseconds(800));
}

TEST_CASE("one hang does not make the next hang look usual") {
  OneBlock block({1000});
  ComputeSpeed speed;
  speed.measure(block.plan, {0}, milliseconds(10));
  speed.measure(block.plan, {0}, std::chrono::hours(1));
  CHECK(speed.expected(block.plan, {0}) < milliseconds(20));
}

}  // namespace
}  // namespace shingle
