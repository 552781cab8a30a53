// Plans whose packing hangs, and tiles that wait for weights.
#include <doctest/doctest.h>

#include "home_bench.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Node 1 of a plan for nodes 1 and 2. Its loader is slow.
struct PackingBench {
  Model model = bench_model();
  LoadedPlan plan = trusted_plan(model, bench_plan(model, {1, 2}));
  NodeBench bench;

  PackingBench() : bench(config()) {
    bench.join(0, 0);
    bench.join(2);
  }
  static NodeConfig config() {
    NodeConfig config = bench_config(1, 3);
    config.limits.silence_allowed = seconds(2);
    config.limits.packing_allowed = seconds(2);
    return config;
  }
  size_t offer() {
    bench.hear(0, PlanOffer{plan.hash, model.hash, print(plan.plan)});
    return bench.all<LoadPlan>().size();
  }
  // Waits so many beats. Returns what was said about readiness, and keeps what was reported.
  std::vector<PlanReady> beats(int count) {
    std::vector<PlanReady> said;
    for (int i = 0; i < count; ++i) {
      bench.wait(milliseconds(100));
      for (const uint32_t peer : {0U, 2U}) bench.hear(peer, Beat{});
      bench.give(Woken{});
      for (const PlanReady& answer : bench.said<PlanReady>(0)) said.push_back(answer);
      for (const Report& report : bench.reports(Report::Kind::plan_refused))
        refused.push_back(report.sentence);
    }
    return said;
  }
  std::vector<std::string> refused;
};

TEST_CASE("a plan that is packed for too long is answered, once, and again when it has come") {
  PackingBench home;
  CHECK(home.offer() == 1);
  CHECK(home.beats(18).empty());
  const auto said = home.beats(20);
  REQUIRE(said.size() == 1);
  CHECK_FALSE(said[0].ready);
  CHECK(said[0].again);
  CHECK(said[0].why_not.find("it has been loading the plan for more than 2 s") !=
        std::string::npos);
  REQUIRE(home.refused.size() == 1);
  home.bench.load(home.plan);
  const auto late = home.bench.said<PlanReady>(0);
  REQUIRE(late.size() == 1);
  CHECK(late[0].ready);
}

TEST_CASE("who asks for a plan whose packing hangs hears so at once, and it is loaded once") {
  PackingBench home;
  home.offer();
  home.beats(30);
  CHECK(home.offer() == 0);
  const auto said = home.bench.said<PlanReady>(0);
  REQUIRE(said.size() == 1);
  CHECK(said[0].again);
}

TEST_CASE("a pause of the whole process is no hang of its packing") {
  PackingBench home;
  home.offer();
  home.bench.wait(seconds(60));
  home.bench.give(Woken{});
  CHECK(home.bench.reports(Report::Kind::plan_refused).empty());
}

TEST_CASE("a plan for which there is no room is refused for now") {
  PackingBench home;
  home.offer();
  PlanLoaded full{home.plan.hash, Error{"it has no memory left"}};
  full.again = true;
  home.bench.give(full);
  const auto said = home.bench.said<PlanReady>(0);
  REQUIRE(said.size() == 1);
  CHECK_FALSE(said[0].ready);
  CHECK(said[0].again);
  CHECK(home.offer() == 1);  // and it is tried again
}

}  // namespace
}  // namespace shingle
