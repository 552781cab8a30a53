// Which plans the models of a run get, and what each plan takes the nodes for.
#include "apps/run/stream_plans.hpp"

#include <doctest/doctest.h>

#include "devices/budget/memory_cap.hpp"
#include "tests/apps/verbs.hpp"
#include "tests/networks/networks.hpp"

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

// As large as model_in()'s, with other weights.
std::string with_seed(const ScratchFolder& folder, uint64_t seed) {
  return folder.with_text("tiny" + std::to_string(seed) + ".onnx",
                          networks::to_onnx(networks::make("tiny", 0, seed).value()));
}

RunOptions options_for(const ScratchFolder& folder) {
  RunOptions options;
  options.model.path = model_in(folder);
  options.goal = "throughput";
  return options;
}

TEST_CASE("a model that runs alone is planned for nodes of which nobody takes anything" *
          doctest::test_suite("long")) {
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
  const Cluster cluster = computing_nodes(place, options.compute);
  const auto found = find_rotation(models->front().file->model, cluster, plan.basis->goal);
  REQUIRE(found.ok());
  CHECK(print(plan.rotation) == print(found->rotation));
}

TEST_CASE("models that run together are each planned beside what the others take" *
          doctest::test_suite("long")) {
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

TEST_CASE("two streams of one model are refused where a node has a memory cap" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  RunOptions options = options_for(folder);
  options.further_models = {"twin=" + options.model.path + ":2"};
  Workplace place = two_boards();
  place.cluster.nodes[1].memory_bytes = int64_t{256} << 20;
  const auto models = open_run_models(options);
  REQUIRE_MESSAGE(models.ok(), models.error());
  const auto plans = stream_plans(options, *models, place);
  REQUIRE_FALSE(plans.ok());
  CHECK(plans.failure().kind == ErrorKind::usage);
  CHECK(has(plans.error(), "model 'twin' is the same as another one of this run"));
  // but not two models
  options.further_models = {"other=" + with_seed(folder, 2) + ":2"};
  const auto others = open_run_models(options);
  REQUIRE_MESSAGE(others.ok(), others.error());
  CHECK(stream_plans(options, *others, place).ok());
}

TEST_CASE("more plans than a node offers are refused before anything is started" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  RunOptions options = options_for(folder);
  options.goal = "latency";
  for (uint64_t seed = 2; seed <= 16; ++seed)
    options.further_models.push_back("m" + std::to_string(seed) + "=" + with_seed(folder, seed) +
                                     ":1");
  const Workplace place = two_boards();
  const auto as_many = open_run_models(options);
  REQUIRE_MESSAGE(as_many.ok(), as_many.error());
  CHECK(stream_plans(options, *as_many, place).ok());
  options.further_models.push_back("m17=" + with_seed(folder, 17) + ":1");
  const auto too_many = open_run_models(options);
  REQUIRE_MESSAGE(too_many.ok(), too_many.error());
  const auto plans = stream_plans(options, *too_many, place);
  REQUIRE_FALSE(plans.ok());
  CHECK(plans.failure().kind == ErrorKind::usage);
  CHECK(plans.error().starts_with("too many models: they have more than 16 plans together"));
}

TEST_CASE("a plan file that cannot be read is a bad input, and no plan at all is none") {
  const ScratchFolder folder;
  RunOptions options = options_for(folder);
  const auto models = open_run_models(options);
  REQUIRE_MESSAGE(models.ok(), models.error());
  Workplace place = two_boards();
  options.plan = folder / "none.plan";
  const auto unread = stream_plans(options, *models, place);
  REQUIRE_FALSE(unread.ok());
  CHECK(unread.failure().kind == ErrorKind::bad_input);
  place.cluster.nodes.erase(place.cluster.nodes.begin(), place.cluster.nodes.begin() + 2);
  const auto nobody = stream_plans(options, *models, place);  // computes, whatever the plan
  REQUIRE_FALSE(nobody.ok());
  CHECK(nobody.failure().kind == ErrorKind::runtime);
}

}  // namespace
}  // namespace shingle
