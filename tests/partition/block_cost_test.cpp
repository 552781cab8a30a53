// What a block would cost is close to what the whole plan's real strips say.
#include "partition/block_cost.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/partition/random_plans.hpp"

using namespace shingle;

TEST_CASE("estimates of blocks add up to the plan's prediction where nodes keep their places") {
  for (const char* name : {"yolov2_front", "unet"}) {
    const Result<Model> model = networks::make(name);
    REQUIRE(model.ok());
    const LayerOrder order = layer_order(*model);
    const Cluster cluster = equal_nodes(4);
    BlockCost cost(*model, cluster, order, {{4, 2}});
    std::vector<BlockCut> cuts;
    double sum = 0.0;
    for (size_t begin = 0; begin < order.layers.size(); begin += 3) {
      cuts.push_back({begin, std::min(begin + 3, order.layers.size()), {4, 2}});
      sum += cost.estimate(cuts.back()).elapsed_ns;
    }
    const Plan plan = assemble(*model, cluster, order, cuts);
    const auto predicted = static_cast<double>(plan.predicted.latency_ns);
    INFO(name << ": " << sum << " against " << predicted);
    CHECK(std::abs(sum - predicted) < 0.05 * predicted);
  }
}

TEST_CASE("a node that sends to all others is as slow as its port") {
  // given: the top quarter of a map, which one node of four holds, spread over all four
  Model model;
  const TensorId frame = add_input(model, "frame", {16, 10, 100});
  const TensorId map = add_layer(model, "map", Elementwise{}, {frame});
  const TensorId top = add_layer(model, "top", StridedSlice{}, {map}, {}, {4, 10, 100});
  add_output(model, "out", top);
  Cluster cluster = equal_nodes(4);
  for (ClusterNode& node : cluster.nodes) node.link_mbps = 8.0;  // 1 us a byte
  const LayerOrder order = layer_order(model);
  BlockCost cost(model, cluster, order, {{4, 1}});

  const double elapsed = cost.estimate({1, 2, {4, 1}}).elapsed_ns;

  const double row_bytes = 10 * 100 * 4;
  CHECK(elapsed > 3 * row_bytes * 1000.0);
}
