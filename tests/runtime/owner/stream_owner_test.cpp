#include "runtime/owner/stream_owner.hpp"

#include <doctest/doctest.h>

#include "partition/search/planner.hpp"
#include "tests/networks/networks.hpp"

namespace shingle {
namespace {

using namespace std::chrono_literals;
using News = StreamOwner::News;

std::shared_ptr<const Model> tiny() {
  static const auto model = std::make_shared<const Model>(networks::make("tiny", 32).value());
  return model;
}

Rotation of_rows(std::initializer_list<int32_t> rows) {
  Rotation rotation;
  for (const int32_t count : rows)
    rotation.push_back(
        {grid_plan(*tiny(), {{{.id = {1}}}}, {.cut_after = {}, .grid = {count, 1}}), 1});
  return rotation;
}

FrameKey frame(uint64_t number) { return {.owner = {1}, .life = 1, .frame = number}; }
Time at(Duration after) { return Time{} + after; }

void submit(StreamOwner& owner, uint64_t number, Time now) {
  const StreamOwner::Loaded plan = owner.deal();
  owner.submitted(frame(number), plan, now);
}

Report ready(const PlanHash& plan) {
  Report report;
  report.kind = Report::Kind::plan_ready;
  report.plan = plan;
  return report;
}

TEST_CASE("a frame that comes in time says how long it took, one behind its deadline is late") {
  StreamOwner owner(tiny(), of_rows({1}), {.open_frames = 2, .deadline = 50ms});
  submit(owner, 1, at(0ms));
  submit(owner, 2, at(10ms));
  CHECK_FALSE(owner.has_room());
  CHECK(owner.end_of_oldest() == at(50ms));
  const auto first = owner.arrived(frame(1), at(50ms));
  REQUIRE(first);
  CHECK(first->took == 50ms);
  CHECK_FALSE(first->late);
  const auto second = owner.arrived(frame(2), at(61ms));
  REQUIRE(second);
  CHECK(second->late);
}

TEST_CASE(
    "a frame is given up behind its deadline, keeps its room until it comes, and is dropped") {
  StreamOwner owner(tiny(), of_rows({1}), {.open_frames = 1, .deadline = 50ms});
  submit(owner, 1, at(0ms));
  CHECK_FALSE(owner.give_up(at(50ms)));
  const auto late = owner.give_up(at(51ms));
  REQUIRE(late);
  CHECK(late->late);
  CHECK(owner.has_room());
  CHECK_FALSE(owner.may_submit());  // the nodes still compute it
  CHECK_FALSE(owner.arrived(frame(1), at(80ms)));
  CHECK(owner.may_submit());
  CHECK_FALSE(owner.give_up(at(1s)));  // nothing is pending
}

TEST_CASE("a frame's own deadline holds in the place of the rules', and frames end in order") {
  StreamOwner owner(tiny(), of_rows({1}), {.open_frames = 3, .deadline = 50ms});
  owner.submitted(frame(1), owner.deal(), at(0ms), 200ms);
  owner.submitted(frame(2), owner.deal(), at(0ms), 10ms);
  submit(owner, 3, at(0ms));
  CHECK(owner.end_of_oldest() == at(200ms));
  CHECK_FALSE(owner.give_up(at(200ms)));  // the second one is late, but not the oldest
  CHECK_FALSE(owner.arrived(frame(1), at(200ms))->late);
  CHECK(owner.end_of_oldest() == at(10ms));
  CHECK(owner.arrived(frame(2), at(201ms))->late);
  CHECK(owner.give_up(at(201ms))->late);
}

TEST_CASE("without a deadline no frame is ever given up") {
  StreamOwner owner(tiny(), of_rows({1}), {.open_frames = 1});
  submit(owner, 1, at(0ms));
  CHECK(owner.end_of_oldest() == Time::max());
  CHECK_FALSE(owner.give_up(at(1h)));
}

TEST_CASE("a change whose plans are not ready in time ends, and its plans are withdrawn") {
  StreamOwner owner(tiny(), of_rows({1}), {.open_frames = 1, .change_awaited = 3s});
  const auto begun = owner.begin_change({Turns(*tiny(), of_rows({2}))}, at(1s));
  REQUIRE(begun.propose.size() == 1);
  CHECK_FALSE(begun.went_over);
  CHECK_FALSE(owner.due(at(4s)));
  CHECK(owner.changes());
  CHECK_FALSE(owner.due(at(4001ms)));
  CHECK_FALSE(owner.changes());
  CHECK(owner.to_withdraw() == std::vector{begun.propose.front()->hash});
  CHECK(owner.to_withdraw().empty());
}

TEST_CASE("frames go over to other plans once these are ready, and the old ones are withdrawn") {
  StreamOwner owner(tiny(), of_rows({1}), {.open_frames = 1});
  const PlanHash before = owner.turns().plans().front()->hash;
  const auto begun = owner.begin_change({Turns(*tiny(), of_rows({2}))}, at(0s));
  CHECK(owner.on(ready(begun.propose.front()->hash)).value() == News::went_over);
  CHECK(owner.deal()->hash == begun.propose.front()->hash);
  CHECK(owner.to_withdraw() == std::vector{before});
}

TEST_CASE("a change of shares alone takes effect at once") {
  Rotation thrice = of_rows({1, 2});
  StreamOwner owner(tiny(), thrice, {.open_frames = 1});
  for (const StreamOwner::Loaded& plan : std::vector(owner.turns().plans()))
    CHECK(owner.on(ready(plan->hash)).ok());
  thrice[1].share = 3;
  const auto begun = owner.begin_change({Turns(*tiny(), thrice)}, at(0s));
  CHECK(begun.propose.empty());
  CHECK(begun.went_over);
  CHECK(owner.to_withdraw().empty());
}

TEST_CASE("an owner that does not know what its rotation was found for plans nothing anew") {
  StreamOwner owner(tiny(), of_rows({1}), {.open_frames = 1});
  CHECK_FALSE(owner.due(at(1h)));
  CHECK(owner.slowness().empty());
}

}  // namespace
}  // namespace shingle
