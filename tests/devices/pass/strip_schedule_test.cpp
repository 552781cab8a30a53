// The order of strips, against a slow oracle that remembers every row.
#include "devices/pass/strip_schedule.hpp"

#include <doctest/doctest.h>

#include <set>

#include "tests/networks/networks.hpp"

namespace shingle::tests {

namespace {

using networks::Random;

// Every reading is a window of `kernel` rows and a stride over its producer's rows.
struct Reach {
  int32_t kernel = 1, stride = 1;
};

struct Graph {
  std::vector<StripStep> steps;
  std::vector<std::vector<Reach>> reaches;  // by step and reading

  Span read(size_t step, size_t reading, Span rows) const {
    const Reach& reach = reaches[step][reading];
    const int32_t size = steps[steps[step].producers[reading]].rows.end, pad = reach.kernel / 2;
    const Span span{rows.begin * reach.stride - pad,
                    (rows.end - 1) * reach.stride - pad + reach.kernel};
    return intersect(span, {0, size});
  }
  StripSchedule schedule() const {
    return schedule_strips(steps, [this](size_t step, size_t reading, Span rows) {
      return read(step, reading, rows);
    });
  }
};

Graph random_graph(Random& random) {
  Graph graph;
  const int32_t count = random.between(1, 8);
  for (int32_t i = 0; i < count; ++i) {
    StripStep step{.rows = {0, random.between(1, 40)}};
    step.quantum = random.chance(0.2) ? step.rows.end : random.between(1, 9);
    step.grid = random.chance(0.5) ? 4 : 1;
    graph.reaches.emplace_back();
    for (int32_t r = 0; i > 0 && r < random.between(1, 2); ++r) {
      step.producers.push_back(static_cast<size_t>(random.between(0, i - 1)));
      graph.reaches.back().push_back({random.between(1, 5), random.between(1, 2)});
    }
    graph.steps.push_back(std::move(step));
  }
  return graph;
}

// Plays the schedule with one buffer of `capacity` rows for each step and checks that whatever is
// read is still there.
void play(const Graph& graph, const StripSchedule& schedule) {
  std::vector<std::set<int32_t>> held(graph.steps.size());
  std::vector<int32_t> done(graph.steps.size(), 0);
  for (const ScheduledStrip& strip : schedule.strips) {
    const StripStep& step = graph.steps[strip.step];
    REQUIRE(strip.rows.begin == done[strip.step]);
    REQUIRE(!strip.rows.empty());
    CHECK((strip.rows.end % step.grid == 0 || strip.rows.end == step.rows.end));
    for (size_t r = 0; r < step.producers.size(); ++r) {
      const Span read = graph.read(strip.step, r, strip.rows);
      for (int32_t y = read.begin; y < read.end; ++y)
        REQUIRE(held[step.producers[r]].count(y) == 1);
    }
    std::set<int32_t>& mine = held[strip.step];
    mine.erase(mine.begin(), mine.lower_bound(strip.keep));
    for (int32_t y = strip.rows.begin; y < strip.rows.end; ++y) mine.insert(y);
    CHECK(static_cast<int32_t>(mine.size()) <= schedule.capacity[strip.step]);
    done[strip.step] = strip.rows.end;
  }
  for (size_t i = 0; i < graph.steps.size(); ++i) CHECK(done[i] == graph.steps[i].rows.end);
}

}  // namespace

TEST_CASE("Random graphs: every row is computed once, and is there when it is read") {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const Graph graph = random_graph(random);
    play(graph, graph.schedule());
  }
}

TEST_CASE("A chain of 3x3 convolutions keeps two strips and a row of every map") {
  Graph graph;
  for (size_t i = 0; i < 4; ++i) {
    graph.steps.push_back({.rows = {0, 100}, .quantum = 4, .grid = 4});
    graph.reaches.emplace_back();
    if (i == 0) continue;
    graph.steps.back().producers = {i - 1};
    graph.reaches.back() = {{.kernel = 3, .stride = 1}};
  }
  const StripSchedule schedule = graph.schedule();
  play(graph, schedule);
  // A strip [4, 8) reads [3, 9), for which its producer must have made [8, 12).
  CHECK(schedule.capacity == std::vector<int32_t>{9, 9, 9, 4});
  CHECK(schedule.strips.size() == 4 * 25);
}

TEST_CASE("Steps of whole maps run once each, one after the other") {
  Graph graph;
  graph.steps = {{.rows = {0, 9}, .quantum = 9},
                 {.rows = {0, 9}, .quantum = 9, .grid = 1, .producers = {0}}};
  graph.reaches = {{}, {{.kernel = 3, .stride = 1}}};
  const StripSchedule schedule = graph.schedule();
  REQUIRE(schedule.strips.size() == 2);
  CHECK(schedule.capacity == std::vector<int32_t>{9, 9});
}

}  // namespace shingle::tests
