// Promises of the search besides its optimum (plan_optimum_test): it is never worse than a single
// node, is deterministic, and follows its goal.
#include "partition/search/plan_search.hpp"

#include <doctest/doctest.h>

#include "partition/search/planner.hpp"
#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;
using networks::Random;

TEST_CASE("a network too small to gain stays on its owner") {
  const Result<Model> model = networks::make("tiny");
  REQUIRE(model.ok());
  Goal goal;
  goal.owner = NodeId{2};
  const Result<Found> found = find_plan(*model, equal_nodes(4), goal);
  REQUIRE(found.ok());
  CHECK(homes(found->plan) == std::vector<NodeId>{{2}});
  CHECK(found->line.wire_bytes == 0);
}

TEST_CASE("no plan is worse than the owner alone, or than the fastest node alone" *
          doctest::test_suite("long")) {
  Random random(91);
  for (int round = 0; round < 30; ++round) {
    INFO("seed 91, round " << round);
    const Model model = networks::random_model(random);
    Cluster cluster = equal_nodes(static_cast<uint32_t>(random.between(2, 5)));
    for (ClusterNode& node : cluster.nodes) {
      node.gflops = 0.001 * random.between(1, 100);
      node.link_mbps = random.between(1, 1000);
    }
    Goal goal;
    goal.owner = NodeId{1};
    const Result<Found> found = find_plan(model, cluster, goal, 20'000);
    REQUIRE(found.ok());
    for (const ClusterNode& node : cluster.nodes) {
      const Timeline alone = simulate(model, cluster, single_plan(model, node.id), goal.owner, {});
      CHECK(in_nanoseconds(found->line.latency) <= 1.011 * in_nanoseconds(alone.latency));
    }
  }
}

TEST_CASE("the same input gives the same plan") {
  const Result<Model> model = networks::make("resnet18");
  REQUIRE(model.ok());
  const auto plan = [&] { return print(find_plan(*model, equal_nodes(5), {}, 200'000)->plan); };
  CHECK(plan() == plan());
}

TEST_CASE("a goal of energy leaves wires and nodes idle that latency would use") {
  const Result<Model> model = networks::make("yolov3_tiny");
  REQUIRE(model.ok());
  Goal frugal;
  frugal.kind = Goal::Kind::energy;
  const Result<Found> fast = find_plan(*model, equal_nodes(4), {}, 300'000);
  const Result<Found> green = find_plan(*model, equal_nodes(4), frugal, 300'000);
  REQUIRE(fast.ok());
  REQUIRE(green.ok());
  CHECK(green->line.energy_joules <= 1.02 * fast->line.energy_joules);
  CHECK(homes(green->plan).size() <= homes(fast->plan).size());
}

TEST_CASE("a goal of memory deals the weights to several nodes") {
  const Result<Model> model = networks::make("yolov2_front", 160);
  REQUIRE(model.ok());
  Goal small;
  small.kind = Goal::Kind::memory;
  const auto fullest = [](const Found& found) {
    int64_t most = 0;
    for (const NodeLoad& node : found.stream.nodes) most = std::max(most, node.peak_bytes);
    return most;
  };
  const Result<Found> fast = find_plan(*model, equal_nodes(4), {}, 300'000);
  const Result<Found> lean = find_plan(*model, equal_nodes(4), small, 300'000);
  REQUIRE(fast.ok());
  REQUIRE(lean.ok());
  CHECK(fullest(*lean) < fullest(*fast));
  CHECK(fullest(*lean) < 8 << 20);  // the weights alone are 13.1 MiB
}

namespace {

// All nodes are equally fast; node 1 needs a twentieth of the others' power.
Cluster one_frugal_node() {
  Cluster cluster = equal_nodes(4);
  for (ClusterNode& node : cluster.nodes) {
    node.profile = profile_of(node);
    node.profile->idle_watts = 0.0;
    node.profile->busy_watts = node.id == NodeId{1} ? 1.0 : 20.0;
  }
  return cluster;
}

Found found_for(const Model& model, const Goal& goal) {
  const Result<Found> found = find_plan(model, one_frugal_node(), goal, 300'000);
  REQUIRE(found.ok());
  return *found;
}

}  // namespace

TEST_CASE("a goal of energy leaves the work to the frugal node, a deadline only as much as fits") {
  const Model model = networks::make("yolov3_tiny").value();
  Goal frugal;
  frugal.kind = Goal::Kind::energy;
  frugal.owner = NodeId{1};
  Goal hasty;
  hasty.owner = NodeId{1};
  // Without a deadline
  const Found fast = found_for(model, hasty), cheap = found_for(model, frugal);
  CHECK(homes(fast.plan).size() == 4);
  CHECK(homes(cheap.plan) == std::vector<NodeId>{{1}});
  CHECK(cheap.line.energy_joules < 0.1 * fast.line.energy_joules);
  // With a deadline between the latencies of the fastest and of the cheapest plan
  frugal.deadline = (fast.line.latency + cheap.line.latency) / 2;
  const Found punctual = found_for(model, frugal);
  CHECK(punctual.line.latency <= frugal.deadline);
  CHECK(punctual.line.energy_joules < fast.line.energy_joules);
  // With a deadline that no plan meets, the plan that exceeds it least is found
  frugal.deadline = Duration(1000);
  CHECK(in_nanoseconds(found_for(model, frugal).line.latency) <=
        1.02 * in_nanoseconds(fast.line.latency));
}
