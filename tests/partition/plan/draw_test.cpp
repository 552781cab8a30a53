// The drawing of a plan, compared with the expected text.
#include <doctest/doctest.h>

#include <sstream>

#include "partition/plan/plan.hpp"
#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;

namespace {

size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

}  // namespace

TEST_CASE("a small plan is drawn as it is") {
  const Model model = chain(12);
  const Plan plan = grid_plan(model, equal_nodes(2), {.cut_after = {}, .grid = {2, 2}});
  const std::string text = draw(plan, model, 60);
  INFO(text);
  CHECK(text.find(R"(
block 0  3 layers, 0 (Convolution) to 2 (Convolution)
         57.0 kMAC, 100.0 % of the model; halos add 34.3 %
  reads  frame 12x12x3
  makes  conv2 12x12x4
  tiles  2 x 2 of conv2 12x12x4, reading frame 12x12x3
         +------------------------+------------------------+
         | 0               node 1 | 1               node 1 |
         | 0..6, 0..6             | 0..6, 6..12            |
         | 0..9, 0..9             | 0..9, 3..12            |
         +------------------------+------------------------+
         | 2               node 2 | 3               node 2 |
         | 6..12, 0..6            | 6..12, 6..12           |
         | 3..12, 0..9            | 3..12, 3..12           |
         +------------------------+------------------------+

total    4 tiles: 76.6 kMAC for the model's 57.0 kMAC, halos
         add 34.3 %
)") != std::string::npos);
}

TEST_CASE("cells too narrow for ranges tell sizes, and rows too long for the page are folded") {
  const Model model = chain(12);
  const Plan plan = grid_plan(model, equal_nodes(2), {.cut_after = {}, .grid = {2, 7}});
  const std::string text = draw(plan, model, 60);
  INFO(text);
  CHECK(text.find(R"(
         +----------+----------+----------+----------+
         | 0     n1 | 1     n1 | 2     n1 | 3     n1 |
         | 6x1      | 6x2      | 6x2      | 6x1      |
         | 9x4      | 9x6      | 9x8      | 9x7      |
         +----------+----------+----------+----------+
         | 4     n1 | 5     n1 | 6     n1 |
         | 6x2      | 6x2      | 6x2      |
         | 9x8      | 9x7      | 9x5      |
         +----------+----------+----------+----------+
)") != std::string::npos);
}

TEST_CASE("no line is wider than the page, and only rows beyond the sixteenth are left out") {
  networks::Random random(60);
  for (int round = 0; round < 100; ++round) {
    const Model model = networks::random_model(random);
    const Plan plan = random_plan(random, model);
    for (int columns : {40, 72, 100, 160}) {
      const std::string text = draw(plan, model, columns);
      INFO("seed 60, round " << round << "\n" << text);
      REQUIRE(widest_line(text) <= static_cast<size_t>(columns));
      if (text.find("more row") != std::string::npos) continue;
      for (int32_t tile = 0; tile < tile_count(plan); ++tile) {
        REQUIRE(text.find("| " + std::to_string(tile) + " ") != std::string::npos);
      }
    }
  }
}

TEST_CASE("a plan without tiles can be drawn") {
  const Model model = chain(8);
  CHECK(draw(Plan{}, model).find("0 blocks, 0 tiles on 0 nodes") != std::string::npos);
}
