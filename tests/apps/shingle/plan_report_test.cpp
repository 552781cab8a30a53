// Why other ways to run a network were not taken, in words.
#include "apps/shingle/plan_report.hpp"

#include <doctest/doctest.h>

#include "tests/networks/networks.hpp"

using namespace shingle;

namespace {

// What `plan --explain` says of a rival that is like the plan that was chosen but for `change`.
template <class Change>
std::string why_not(const Goal& goal, Change change) {
  const Model model = networks::make("tiny", 32).value();
  const Cluster cluster{{{.id = {1}}, {.id = {2}}}};
  const FoundRotation found = find_rotation(model, cluster, goal).value();
  Rival rival{.name = "another way", .line = found.line, .stream = found.stream};
  for (const NodeLoad& node : found.line.nodes) rival.macs += node.macs;
  rival.open_frames = goal.open_frames;
  change(rival);
  const PlanReport report{model, cluster, goal, found, {rival}};
  return report_json(report)["rivals"][0]["why_not"];
}

void take_half(Rival& rival) {
  rival.line.latency /= 2;
  rival.stream.period /= 2;
}

bool starts(const std::string& text, const std::string& words) { return text.starts_with(words); }

}  // namespace

TEST_CASE("what is worse is said with how much, and what does not fit with its need") {
  const Goal latency{.kind = Goal::Kind::latency};
  CHECK(starts(why_not(latency, [](Rival& rival) { rival.line.latency *= 3; }),
               "3.00 times as long for one frame"));
  const std::string large = why_not(latency, [](Rival& rival) {
    rival.fits = false;
    rival.stream.nodes[0].peak_bytes = int64_t{90} << 20;
  });
  CHECK(large == "needs 90.0 MiB on one node, above its cap");
}

TEST_CASE("what is better is never said to be as good" * doctest::test_suite("long")) {
  const Goal throughput{.kind = Goal::Kind::throughput, .open_frames = 2};
  CHECK(starts(why_not(throughput, take_half),
               "0.50 times the time between frames: better, and not found by the search"));
  CHECK(starts(why_not(throughput,
                       [&](Rival& rival) {
                         take_half(rival);
                         rival.open_frames = 4;
                       }),
               "0.50 times the time between frames, but with 4 frames open where 2 were asked"));
  Goal hasty = throughput;
  hasty.deadline = Duration(1);
  CHECK(why_not(hasty, take_half).find(", but misses the deadline") != std::string::npos);
}

TEST_CASE("what is as good loses by what it sends or computes, if it does") {
  const Goal latency{.kind = Goal::Kind::latency};
  CHECK(starts(why_not(latency, [](Rival& rival) { rival.line.wire_bytes += 1000; }),
               "as good, but sends or computes more"));
  CHECK(starts(why_not(latency, [](Rival& rival) { rival.macs += 1000; }),
               "as good, but sends or computes more"));
  CHECK(starts(why_not(latency, [](Rival&) {}), "as good, and as lean"));
}
