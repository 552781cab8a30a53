// Tests of the first drafts: they count the bytes of results, and may leave a block to the owner.
#include "partition/search/first_drafts.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;

namespace {

// Two convolutions worth sharing, then a cheap one that makes 24 times as many channels.
Model large_result() {
  Model model;
  TensorId map = add_input(model, "frame", {32, 32, 8});
  for (int layer = 0; layer < 2; ++layer) map = add_conv(model, map, 8, same3);
  add_output(model, "out", add_conv(model, map, 192, Window{}));
  return model;
}

Cluster slow_nodes(double mbps) {
  Cluster cluster = equal_nodes(2);
  for (ClusterNode& node : cluster.nodes) {
    node.gflops = 0.05;
    node.link_mbps = mbps;
  }
  return cluster;
}

std::vector<Draft> drafts_of(const Model& model, const Cluster& cluster,
                             std::optional<NodeId> owner) {
  const LayerOrder order = layer_order(model);
  const Borders borders(model, order);
  const Goal goal{.owner = owner};
  Workshop workshop(model, cluster, order, goal, WinogradUse::never);
  return first_drafts(workshop, borders, layout_families(2)[0], {true, true});
}

bool shares_all_blocks(const Draft& draft) {
  return std::all_of(draft.begin(), draft.end(), [](const DraftBlock& block) {
    return std::count(block.layout.shares.begin(), block.layout.shares.end(), 0.0) == 0;
  });
}

}  // namespace

TEST_CASE("a draft with blocks on the owner stands beside the one that shares all of them") {
  // when: the wires are slow for the result and fast enough for what its layer reads
  const std::vector<Draft> drafts = drafts_of(large_result(), slow_nodes(20.0), NodeId{2});
  REQUIRE(drafts.size() == 2);
  CHECK(shares_all_blocks(drafts[0]));
  CHECK_FALSE(shares_all_blocks(drafts[1]));
  const DraftBlock& last = drafts[1].back();
  CHECK(last.layout == on_one_node(2, 1));
  CHECK(last.begin > 0);
  CHECK(shares_all_blocks({drafts[1].front()}));
}

TEST_CASE("fast wires, or an owner beside the cluster, leave one draft that shares all blocks") {
  for (const auto& [mbps, owner] : {std::pair{100'000.0, 2U}, std::pair{20.0, 9U}}) {
    INFO("wires of " << mbps << " Mb/s, owner " << owner);
    const std::vector<Draft> drafts = drafts_of(large_result(), slow_nodes(mbps), NodeId{owner});
    REQUIRE(drafts.size() == 1);
    CHECK(shares_all_blocks(drafts[0]));
  }
}

TEST_CASE("what the owner makes alone is not dealt out for nothing") {
  // given: a cheap layer on a large frame; half of the frame or of its output goes to the other
  // node
  Model model;
  const TensorId frame = add_input(model, "frame", {32, 32, 96});
  TensorId map = add_layer(model, "act", Elementwise{}, {frame});
  for (int layer = 0; layer < 2; ++layer) map = add_conv(model, map, 8, same3);
  add_output(model, "out", map);
  const std::vector<Draft> drafts = drafts_of(model, slow_nodes(20.0), NodeId{2});
  REQUIRE(drafts.size() == 1);
  CHECK(shares_all_blocks(drafts[0]));
}
