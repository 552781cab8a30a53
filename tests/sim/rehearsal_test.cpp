// The real Nodes run plans of unusual shapes in virtual time.
#include <doctest/doctest.h>

#include "partition/search/planner.hpp"
#include "partition/simulation/block_work.hpp"
#include "sim/rehearsal.hpp"
#include "tests/runtime/node/node_bench.hpp"

namespace shingle::sim {
namespace {

// One block on the first node, with two tiles: the first `rows` rows, and all other rows.
Plan in_two(const Model& model, const Cluster& cluster, int32_t rows) {
  Plan plan = single_plan(model, cluster.nodes[0].id, WinogradUse::never);
  FusedBlock& block = plan.blocks[0];
  block.tiles.push_back(block.tiles[0]);
  block.tiles[1].id = TileId{1};
  block.tiles[0].outputs[0].region.y.end = rows;
  block.tiles[1].outputs[0].region.y.begin = rows;
  block = made_block(model, cluster, profiles_of(cluster), block).block;
  return plan;
}

}  // namespace

TEST_CASE("a tile that takes long behind a sliver of its block does not count as hanging") {
  const Model model = bench_model(256);
  Cluster cluster{{{.id = NodeId{0}}, {.id = NodeId{1}}}};
  for (ClusterNode& node : cluster.nodes) node.profile = paced_profile(0.01);
  const Plan plan = in_two(model, cluster, 1);
  REQUIRE(plan.blocks[0].tiles[0].macs * 8 < plan.blocks[0].tiles[1].macs);
  const Result<Rehearsed> ran = rehearse(model, cluster, {{plan}}, NodeId{0}, {});
  REQUIRE_MESSAGE(ran.ok(), ran.error());
  const auto macs = plan.blocks[0].tiles[0].macs + plan.blocks[0].tiles[1].macs;
  CHECK(in_nanoseconds(ran->latency) ==
        doctest::Approx(200.0 * static_cast<double>(macs)).epsilon(0.01));
}

}  // namespace shingle::sim
