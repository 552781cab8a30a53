#include "sim/sweep/sweep_table.hpp"

#include <doctest/doctest.h>

using namespace shingle;
using namespace shingle::sim;

namespace {

// Latency falls with nodes, energy rises; the colour means nothing.
SweepTable nodes_and_colours() {
  SweepTable table{.title = "test",
                   .method = SweepMethod::grid,
                   .axes = {{"nodes", {"1", "2", "4"}}, {"colour", {"red", "blue"}}},
                   .figures = {Objective::frames_per_second, Objective::energy},
                   .objectives = 2,
                   .seeds = 2};
  for (uint32_t nodes = 0; nodes < 3; ++nodes)
    for (uint32_t colour = 0; colour < 2; ++colour) {
      const double noise = colour == 0 ? 0.01 : -0.01;
      table.results.push_back(
          {.design = {nodes, colour},
           .figures = {{1.0 + nodes + noise, 5.0 + nodes}, {1.0 + nodes - noise, 5.0 + nodes}}});
    }
  return table;
}

}  // namespace

TEST_CASE("designs that differ by noise are ties, and both or one of them is on the front") {
  const SweepAnalysis analysis = analyse(nodes_and_colours());
  CHECK(analysis.feasible.size() == 6);
  REQUIRE(analysis.front.size() == analysis.ties.size());
  for (size_t row = 0; row < analysis.front.size(); ++row) {
    REQUIRE(analysis.ties[row].size() == 1);
    CHECK(analysis.ties[row][0] / 2 == analysis.front[row] / 2);  // the other colour
  }
}

TEST_CASE("more frames are better, and stand first on the front") {
  const SweepAnalysis analysis = analyse(nodes_and_colours());
  CHECK(analysis.figures[analysis.front.front()][0].mean == doctest::Approx(3.0));
  CHECK(analysis.figures[analysis.front.back()][0].mean == doctest::Approx(1.0));
}

TEST_CASE("what matters most is the axis that explains the variance") {
  const SweepAnalysis analysis = analyse(nodes_and_colours());
  CHECK(analysis.effects[1][0].share == doctest::Approx(1.0));
  CHECK(analysis.effects[1][1].share == doctest::Approx(0.0));
  CHECK(analysis.effects[1][0].means == std::vector<double>{5.0, 6.0, 7.0});
  CHECK(analysis.effects[1][0].counts == std::vector<uint32_t>{2, 2, 2});
}

TEST_CASE("main effects of two axes share the variance as their squares do") {
  DesignSpace space{.axes = {{.values = 2}, {.values = 2}}};
  const std::vector<Design> designs = all_designs(space);
  std::vector<double> figures;
  for (const Design& design : designs) figures.push_back(3.0 * design[0] + 1.0 * design[1]);
  const auto effects = main_effects(space, designs, figures);
  CHECK(effects[0].share == doctest::Approx(0.9));
  CHECK(effects[1].share == doctest::Approx(0.1));
}

TEST_CASE("designs without a result take part in nothing") {
  SweepTable table = nodes_and_colours();
  table.results[0].figures.clear();
  table.results[0].failure = "no plan fits";
  const SweepAnalysis analysis = analyse(table);
  CHECK(analysis.feasible == std::vector<size_t>{1, 2, 3, 4, 5});
  CHECK(analysis.effects[0][0].counts == std::vector<uint32_t>{1, 2, 2});
  for (DesignResult& result : table.results) result.figures.clear();
  CHECK(analyse(table).front.empty());
}
