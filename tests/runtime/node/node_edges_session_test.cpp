// Edge cases of the rules for sessions, alarms and steps of all nodes.
#include <doctest/doctest.h>

#include "edges_bench.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("what was said in a step to a peer that is lost in it is not sent to its next session") {
  const Model model = bench_model();
  const LoadedPlan plan = trusted_plan(model, bench_plan(model, {1, 2}));
  NodeBench bench(bench_config(1, 4));
  for (const uint32_t peer : {2U, 3U}) bench.join(peer);
  bench.hear(3, PlanOffer{plan.hash, model.hash, "text"});
  bench.load(plan);
  REQUIRE(bench.said<PlanReady>(3).size() == 1);
  const auto lost = [&] { return !bench.reports(Report::Kind::peer_lost).empty(); };
  REQUIRE(tenths(bench, 10, {}, lost) <= 10);
  REQUIRE(bench.reports(Report::Kind::peer_lost).size() == 2);
  CHECK(bench.said<PlanReady>(3).empty());  // that it lost node 2
  CHECK(bench.said<Hello>(3).size() == 1);
}

TEST_CASE("what takes half a beat more than it should is a pause of this node itself") {
  NodeBench bench(bench_config(1, 3));
  bench.join(2);
  const auto lost_after = [&](int ms) {
    bench.wait(milliseconds(ms));
    bench.give(Woken{});
    return bench.reports(Report::Kind::peer_lost).size();
  };
  CHECK(lost_after(150) == 0);  // the alarm was set to 100
  CHECK(lost_after(100) == 0);
  CHECK(lost_after(100) == 0);
  CHECK(lost_after(90) == 0);
  CHECK(lost_after(10) == 1);
}

TEST_CASE("the ten seconds in which sessions are told begin with the first of them") {
  NodeBench bench(bench_config(1, 3));
  bench.wait(seconds(9));
  for (uint32_t session = 1; session <= 10; ++session) {
    bench.join(2, 1, "", session);
    CHECK(bench.reports(Report::Kind::peer_joined).size() == 1);
    bench.give(PeerLost{NodeId{2}, "gone"});
  }
  bench.wait(milliseconds(1500));
  bench.join(2, 1, "", 11);
  CHECK(bench.reports(Report::Kind::peer_joined).empty());
}

TEST_CASE("an alarm that is set is not set again") {
  NodeBench bench(bench_config(1, 3));
  bench.join(2);
  bench.hear(2, Beat{});
  CHECK(bench.all<WakeAt>().empty());
}

TEST_CASE("a step leaves the actions of earlier ones as they are") {
  Node node(bench_config(1, 3));
  Actions actions;
  node.step({}, PeerSeen{NodeId{2}}, actions);
  REQUIRE(actions.size() >= 1);
  REQUIRE(std::holds_alternative<Send>(actions[0]));
  std::get<Send>(actions[0]).envelope.ready_tiles = 77;
  node.step({}, PeerSeen{NodeId{0}}, actions);
  CHECK(std::get<Send>(actions[0]).envelope.ready_tiles == 77);
}

}  // namespace
}  // namespace shingle
