// What a run says of its models at the end.
#include "apps/run/results.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/verbs.hpp"

namespace shingle {
namespace {

// A run whose main model computed ten frames, and a further one five.
Summary summary_of_two() {
  FurtherSummary plates;
  plates.name = "plates";
  plates.every = 2;
  plates.frames = 5;
  Summary summary;
  summary.frames = 10;
  summary.further.push_back(std::move(plates));
  return summary;
}

TEST_CASE("a further model's frames that were not compared are counted, as the main one's are") {
  Summary summary = summary_of_two();
  summary.verified = summary.further[0].verified = true;
  summary.compared = summary.identical = 10;
  summary.further[0].compared = summary.further[0].identical = 2;
  summary.further[0].late = 1;
  const Tally tally({});
  const auto json = nlohmann::json::parse(summary_json(summary, tally));
  CHECK_FALSE(json.contains("not_compared"));
  CHECK(json["models"]["plates"]["not_compared"] == 2);
  CHECK(has(summary_text(summary, tally), "identical to one machine: 2 of 2, not compared: 2\n"));
}

TEST_CASE("a run without comparison has nothing that was not compared") {
  const auto json = nlohmann::json::parse(summary_json(summary_of_two(), Tally({})));
  CHECK_FALSE(json["models"]["plates"].contains("not_compared"));
}

TEST_CASE("a model of which every frame was late is named; one frame in time is enough") {
  Summary summary = summary_of_two();
  CHECK_FALSE(summary.always_late());
  summary.late = 9;
  summary.further[0].late = 4;
  CHECK_FALSE(summary.always_late());
  summary.further[0].late = 5;
  CHECK(summary.always_late() == "plates");
  summary.late = 10;
  CHECK(summary.always_late() == "");
}

}  // namespace
}  // namespace shingle
