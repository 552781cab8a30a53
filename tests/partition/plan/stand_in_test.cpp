#include <doctest/doctest.h>

#include "partition/plan/stand_in.hpp"
#include "partition/search/planner.hpp"
#include "tests/networks/networks.hpp"

namespace shingle {
namespace {

Plan plan_over(const Model& model, uint32_t homes, GridCut grid) {
  Cluster cluster;
  for (uint32_t id = 0; id < homes; ++id) cluster.nodes.push_back({NodeId{id}, 1.0, 100.0, 0});
  return grid_plan(model, cluster, {.cut_after = {}, .grid = grid});
}

std::vector<int> tiles_by_home(const Plan& plan, uint32_t homes) {
  std::vector<int> count(homes, 0);
  for (const FusedBlock& block : plan.blocks)
    for (const Tile& tile : block.tiles) ++count[tile.home.value];
  return count;
}

TEST_CASE("a stand-in is sound, leaves the lost home nothing and every other tile where it was") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    networks::Random random(seed);
    const Model model = networks::random_model(random);
    const Plan plan = plan_over(model, 4, {3, 3});
    const Plan other = stand_in(plan, {{.lost = {2}, .heirs = {{0}, {1}, {3}}}});
    CHECK(defects(other, model, {{0}, {1}, {3}}).empty());
    for (int32_t id = 0; id < tile_count(plan); ++id) {
      Tile before = tile(plan, {static_cast<uint32_t>(id)});
      const Tile& after = tile(other, before.id);
      CHECK(after.home != NodeId{2});
      if (before.home == NodeId{2}) before.home = after.home;
      CHECK(before == after);  // the same work, and tiles of remaining homes stay there
    }
  }
}

TEST_CASE("heirs share a lost home's tiles evenly, and one that had none gets a fair part") {
  networks::Random random(1);
  const Model model = networks::make("tiny", 48).value();
  const Plan plan = plan_over(model, 3, {6, 6});
  const auto before = tiles_by_home(plan, 4);
  const auto shared = tiles_by_home(stand_in(plan, {{{2}, {{0}, {1}}}}), 4);
  CHECK(shared[2] == 0);
  CHECK(std::abs((shared[0] - before[0]) - (shared[1] - before[1])) <= 2);
  const auto spare = tiles_by_home(stand_in(plan, {{{2}, {{3}}}}), 4);
  CHECK(spare[3] == before[2]);
}

TEST_CASE("two homes lost together go to one heir, and nothing lost changes nothing") {
  const Model model = networks::make("tiny", 48).value();
  const Plan plan = plan_over(model, 3, {3, 2});
  const Plan alone = stand_in(plan, {{{1}, {{0}}}, {{2}, {{0}}}});
  CHECK(homes(alone) == std::vector<NodeId>{{0}});
  CHECK(defects(alone, model).empty());
  CHECK(hash_of(stand_in(plan, {})) == hash_of(plan));
}

}  // namespace
}  // namespace shingle
