// The random plans that tests of other rooms use are sound and have the features that they should
// have.
#include <doctest/doctest.h>

#include "tests/networks/drawn_plans.hpp"
#include "tests/partition/plan/random_plans.hpp"

namespace shingle {
namespace {

TEST_CASE(
    "plans drawn with the planner's layouts are sound, and Winograd's and channels' tiles are "
    "among them") {
  networks::PlanKinds kinds;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    networks::Random random(seed);
    const Model model =
        seed % 2 == 0 ? networks::random_wide_model(random) : networks::random_model(random);
    const Cluster cluster = equal_nodes(static_cast<uint32_t>(random.between(1, 8)));
    const Plan plan = networks::drawn_plan(random, model, cluster);
    for (const std::string& defect : defects(plan, model)) FAIL_CHECK(defect);
    kinds += networks::kinds_of(plan, model);
  }
  CHECK(kinds.blocks > 300);
  CHECK(kinds.channel_tiles > 100);
  CHECK(kinds.winograd_layers > 50);
}

TEST_CASE("drawn rotations are sound: their plans take turns and compute the same bits") {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    networks::Random random(seed);
    const Model model = networks::random_model(random);
    const Cluster cluster = equal_nodes(static_cast<uint32_t>(random.between(2, 8)));
    const Rotation rotation = networks::drawn_rotation(random, model, cluster);
    std::vector<NodeId> members;
    for (const ClusterNode& node : cluster.nodes) members.push_back(node.id);
    for (const std::string& defect : defects(rotation, model, members)) FAIL_CHECK(defect);
    CHECK(rotation.size() >= 2);
  }
}

}  // namespace
}  // namespace shingle
