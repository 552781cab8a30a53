#include "runtime/owner/frame_ledger.hpp"

#include <doctest/doctest.h>

#include "partition/search/planner.hpp"
#include "tests/networks/networks.hpp"

namespace shingle {
namespace {

using News = FrameLedger::News;

const Model& tiny() {
  static const Model model = networks::make("tiny", 32).value();
  return model;
}

Rotation of_rows(std::initializer_list<int32_t> rows) {
  Rotation rotation;
  for (const int32_t count : rows)
    rotation.push_back(
        {grid_plan(tiny(), {{{.id = {1}}}}, {.cut_after = {}, .grid = {count, 1}}), 1});
  return rotation;
}

Report about(Report::Kind kind, const PlanHash& plan) {
  Report report;
  report.kind = kind;
  report.plan = plan;
  report.sentence = "as it is";
  return report;
}

FrameKey frame(uint64_t number) { return {.owner = {1}, .life = 1, .frame = number}; }
Time at_ms(int64_t ms) { return Time{} + std::chrono::milliseconds(ms); }

TEST_CASE("a stream goes over to other plans once all of them are ready") {
  FrameLedger ledger(tiny(), of_rows({1, 2}));
  const auto offered = ledger.begin_change(Turns(tiny(), of_rows({2, 3, 4})));
  REQUIRE(offered.size() == 2);  // one of them is in use
  const PlanHash known = ledger.turns().plans()[1]->hash;
  CHECK(ledger.on(about(Report::Kind::plan_ready, known)).value() == News::none);
  CHECK(ledger.on(about(Report::Kind::plan_ready, offered[0]->hash)).value() == News::none);
  CHECK(ledger.changes());
  CHECK(ledger.on(about(Report::Kind::plan_ready, offered[1]->hash)).value() == News::went_over);
  CHECK_FALSE(ledger.changes());
  CHECK(ledger.turns().plans().size() == 3);
  CHECK(ledger.turns().all_ready());
}

TEST_CASE("a plan of a change that ended is not withdrawn once the next change offers it") {
  FrameLedger ledger(tiny(), of_rows({1}));
  const auto first = ledger.begin_change(Turns(tiny(), of_rows({2, 3})));
  ledger.end_change();
  const auto second = ledger.begin_change(Turns(tiny(), of_rows({3, 4})));
  REQUIRE(second.front()->hash == first.back()->hash);
  CHECK(ledger.unneeded() == std::vector{first.front()->hash});
}

TEST_CASE("a change to plans of which one is refused is none, and those in use are kept") {
  FrameLedger ledger(tiny(), of_rows({1}));
  const auto offered = ledger.begin_change(Turns(tiny(), of_rows({2})));
  CHECK(ledger.on(about(Report::Kind::plan_refused, offered[0]->hash)).value() ==
        News::change_refused);
  CHECK_FALSE(ledger.changes());
  CHECK(ledger.on(about(Report::Kind::plan_refused, offered[0]->hash)).value() == News::none);
  const auto ended =
      ledger.on(about(Report::Kind::plan_refused, ledger.turns().plans().front()->hash));
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.error() == "as it is");
}

TEST_CASE("plans that are gone over from are withdrawn, and so are those that are given up") {
  FrameLedger ledger(tiny(), of_rows({1, 2}));
  const PlanHash left = ledger.turns().plans()[0]->hash;
  const auto begun = ledger.begin_change(Turns(tiny(), of_rows({2, 3})));
  CHECK(ledger.unneeded().empty());
  for (const PlanHash& plan : {ledger.turns().plans()[1]->hash, begun[0]->hash})
    CHECK(ledger.on(about(Report::Kind::plan_ready, plan)).ok());
  CHECK(ledger.unneeded() == std::vector{left});
  CHECK(ledger.unneeded().empty());  // told once
  const auto refused = ledger.begin_change(Turns(tiny(), of_rows({3, 4})));
  CHECK(ledger.on(about(Report::Kind::plan_refused, refused[0]->hash)).ok());
  CHECK(ledger.unneeded() == std::vector{refused[0]->hash});
  const auto late = ledger.begin_change(Turns(tiny(), of_rows({5})));
  ledger.end_change();
  CHECK(ledger.unneeded() == std::vector{late[0]->hash});
}

TEST_CASE(
    "what comes of a frame that was given up is thrown away, and it is under way until then") {
  FrameLedger ledger(tiny(), of_rows({1}));
  for (uint64_t number : {1U, 2U})
    ledger.submitted({frame(number), at_ms(static_cast<int64_t>(number)), Time::max()},
                     ledger.deal());
  CHECK(ledger.give_up().key == frame(1));
  CHECK(ledger.pending() == 1);
  CHECK(ledger.under_way() == 2);
  CHECK_FALSE(ledger.arrived(frame(1)));
  CHECK(ledger.under_way() == 1);
  CHECK(ledger.arrived(frame(2)));
  CHECK(ledger.delivered().since == at_ms(2));
  CHECK(ledger.under_way() == 0);
}

TEST_CASE(
    "a frame's plan is known while it is under way, and a frame that ends early ends the "
    "stream") {
  FrameLedger ledger(tiny(), of_rows({1}));
  ledger.submitted({frame(7), at_ms(0), Time::max()}, ledger.deal());
  CHECK(ledger.plan_of(7).hash == ledger.turns().plans().front()->hash);
  Report aborted = about(Report::Kind::frame_aborted, {});
  aborted.key = frame(7);
  CHECK_FALSE(ledger.on(aborted).ok());
}

}  // namespace
}  // namespace shingle
