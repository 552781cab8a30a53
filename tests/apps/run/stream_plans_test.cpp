// Which plans the models of a run get, and what each plan takes the nodes for.
#include "apps/run/stream_plans.hpp"

#include <doctest/doctest.h>

#include "devices/budget/memory_cap.hpp"
#include "tests/apps/verbs.hpp"

namespace shingle {
namespace {

// Two boards, and an owner beside them that does not compute.
Workplace two_boards() {
  ClusterFile file;
  for (uint32_t id = 0; id < 3; ++id) {
    ClusterFileNode node;
    node.id = NodeId{id};
    node.name = "board" + std::to_string(id);
    node.port = static_cast<uint16_t>(7001 + id);
    node.gflops = 1.0;
    node.pace = true;
    file.nodes.push_back(node);
  }
  return {std::move(file), NodeId{2}, std::nullopt};
}

RunOptions options_for(const ScratchFolder& folder) {
  RunOptions options;
  options.model.path = model_in(folder);
  options.goal = "throughput";
  return options;
}

TEST_CASE("a model that runs alone is planned for nodes of which nobody takes anything") {
  const ScratchFolder folder;
  const RunOptions options = options_for(folder);
  const Workplace place = two_boards();
  const auto models = open_run_models(options);
  REQUIRE_MESSAGE(models.ok(), models.error());
  const auto plans = stream_plans(options, *models, place);
  REQUIRE_MESSAGE(plans.ok(), plans.error());
  REQUIRE(plans->size() == 1);
  const StreamPlan& plan = plans->front();
  REQUIRE(plan.basis);
  CHECK(plan.basis->others.empty());
  CHECK(plan.open_frames == options.open_frames);
  const Cluster cluster = computing_nodes(options, place);
  const auto found = find_rotation(models->front().file->model, cluster, plan.basis->goal);
  REQUIRE(found.ok());
  CHECK(print(plan.rotation) == print(found->rotation));
}

TEST_CASE("models that run together are each planned beside what the others take") {
  const ScratchFolder folder;
  RunOptions options = options_for(folder);
  options.further_models = {"often=" + options.model.path + ":1",
                            "rare=" + options.model.path + ":50"};
  const Workplace place = two_boards();
  const auto models = open_run_models(options);
  REQUIRE_MESSAGE(models.ok(), models.error());
  const auto plans = stream_plans(options, *models, place);
  REQUIRE_MESSAGE(plans.ok(), plans.error());
  REQUIRE(plans->size() == 3);
  const auto taken = [](const StreamPlan& plan) {
    double all = 0.0;
    for (const TakenNode& node : plan.basis->others) all += node.busy;
    return all;
  };
  for (size_t i = 0; i < plans->size(); ++i) {
    REQUIRE((*plans)[i].basis);
    CHECK(taken((*plans)[i]) > 0.0);
    CHECK(defects((*plans)[i].rotation, (*models)[i].file->model, {}).empty());
  }
  // "often" was planned beside the main model, "rare" beside the same and "often".
  CHECK(taken((*plans)[2]) >= taken((*plans)[1]));
  CHECK((*plans)[1].open_frames == 2);
}

}  // namespace
}  // namespace shingle
