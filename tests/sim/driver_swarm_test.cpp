// Whole processes in virtual time under faults: the driver with inbox, outbox, slots, loader and
// the owner's logic. These are the first few seeds only, because sanitizers are slow.
// `shingle-simtest --drivers` runs any number of seeds, tools/test --full some more.
#include "tests/swarm/driver_swarm.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/swarm/stage.hpp"

namespace shingle::swarm {
namespace {

DriverVerdict checked_run(const DriverOptionsOfRun& options) {
  DriverVerdict verdict = run_drivers(options);
  CAPTURE(options.seed);
  for (const std::string& violation : verdict.violations) FAIL_CHECK(violation);
  return verdict;
}

TEST_CASE("whole processes deliver every frame, and lose no connection where nothing is wrong") {
  size_t captured = 0;
  uint64_t switches = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const DriverVerdict verdict = checked_run({.seed = seed, .mischief = false});
    CHECK(verdict.delivered == verdict.captured);
    CHECK(verdict.lost_connections == 0);
    captured += verdict.captured;
    switches += verdict.switches;
  }
  CHECK(captured > 100);
  CHECK(switches > 6);
}

TEST_CASE(
    "processes die, hang, fill up, pack for long and run out of memory, and frames are right") {
  size_t delivered = 0, with_core = 0;
  uint64_t strikes = 0, lost = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const DriverVerdict verdict = checked_run({.seed = seed});
    delivered += verdict.delivered;
    with_core += verdict.has_core ? 1 : 0;
    strikes += verdict.strikes;
    lost += verdict.lost_connections;
  }
  CHECK(delivered > 300);
  CHECK(with_core > 0);
  CHECK(strikes > 18);
  CHECK(lost > 7);
}

TEST_CASE("a run of whole processes is a function of its seed") {
  for (const uint64_t seed : {3U, 17U}) {
    const DriverVerdict first = run_drivers({.seed = seed}), again = run_drivers({.seed = seed});
    CHECK(first.hash == again.hash);
    CHECK(first.events == again.events);
  }
}

TEST_CASE("a verdict names frames that are not what one machine computes") {
  const DriverVerdict verdict = run_drivers({.seed = 1, .mischief = false, .spoils = true});
  REQUIRE_FALSE(verdict.violations.empty());
  CHECK(verdict.violations.front().find("is not what one machine computes") != std::string::npos);
}

TEST_CASE("workers of a stage go on when their pauses are over, and end at once where hurried") {
  using std::chrono::milliseconds;
  Stage stage(1);
  Crew crew;
  crew.worked = [] {};
  std::vector<std::string> said;
  const auto saying = [&](std::string name, milliseconds length) {
    return [&, name, length, left = 1]() mutable {
      if (left-- == 0) return false;
      stage.pause(length);
      said.push_back(name);
      return true;
    };
  };
  const auto slow = stage.worker(crew, saying("slow", milliseconds(20)));
  const auto quick = stage.worker(crew, saying("quick", milliseconds(10)));
  const auto late = stage.worker(crew, saying("late", milliseconds(1000)));
  for (const auto& worker : {slow.get(), quick.get(), late.get()}) worker->wake();
  stage.run(Time{} + milliseconds(50));
  CHECK(said == std::vector<std::string>{"quick", "slow"});
  stage.hurry(crew);
  CHECK(said.back() == "late");
}

TEST_CASE("what comes due in a process that is frozen happens when it thaws") {
  using std::chrono::milliseconds;
  Stage stage(1);
  Crew crew;
  crew.worked = [] {};
  std::vector<Time> ended;
  const auto worker = stage.worker(crew, [&] {
    if (!ended.empty()) return false;
    stage.pause(milliseconds(10));
    ended.push_back(stage.now());
    return true;
  });
  worker->wake();
  stage.at(Time{} + milliseconds(5), [&] { stage.freeze(crew); });
  stage.at(Time{} + milliseconds(40), [&] { stage.thaw(crew); });
  stage.run(Time{} + milliseconds(100));
  CHECK(ended == std::vector<Time>{Time{} + milliseconds(40)});
}

}  // namespace
}  // namespace shingle::swarm
