#include "sim/sweep/front.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "partition/base/dice.hpp"

using namespace shingle;
using namespace shingle::sim;

namespace {

std::vector<Costs> drawn(size_t count, size_t objectives, uint64_t seed) {
  Dice dice(seed);
  std::vector<Costs> costs(count);
  for (Costs& each : costs)
    for (size_t i = 0; i < objectives; ++i) each.push_back(dice.unit());
  return costs;
}

// By what the front is defined as.
std::vector<size_t> slow_front(const std::vector<Costs>& all) {
  std::vector<size_t> front;
  for (size_t i = 0; i < all.size(); ++i) {
    bool is_best = true;
    for (const Costs& other : all) is_best = is_best && !dominates(other, all[i]);
    if (is_best) front.push_back(i);
  }
  return front;
}

// Counts cells of a fine grid.
double slow_volume(const std::vector<Costs>& points, size_t objectives) {
  constexpr int cells = 60;
  int inside = 0, all = 1;
  for (size_t i = 0; i < objectives; ++i) all *= cells;
  for (int cell = 0; cell < all; ++cell) {
    Costs at;
    for (int rest = cell, i = 0; i < static_cast<int>(objectives); ++i, rest /= cells)
      at.push_back((rest % cells + 0.5) / cells);
    for (const Costs& point : points) {
      bool below = true;
      for (size_t i = 0; i < objectives; ++i) below = below && point[i] <= at[i];
      if (!below) continue;
      ++inside;
      break;
    }
  }
  return static_cast<double>(inside) / all;
}

}  // namespace

TEST_CASE("the front is what nothing dominates, for any number of objectives") {
  for (size_t objectives = 1; objectives <= 4; ++objectives)
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      CAPTURE(objectives);
      CAPTURE(seed);
      const std::vector<Costs> all = drawn(80, objectives, seed);
      CHECK(front_of(all) == slow_front(all));
    }
}

TEST_CASE("ranks are fronts that are taken off one after the other") {
  std::vector<Costs> all = drawn(60, 2, 3);
  const std::vector<uint32_t> ranks = front_ranks(all);
  std::vector<size_t> left(all.size());
  for (size_t i = 0; i < left.size(); ++i) left[i] = i;
  for (uint32_t rank = 0; !left.empty(); ++rank) {
    std::vector<Costs> costs;
    for (const size_t each : left) costs.push_back(all[each]);
    std::vector<size_t> next;
    const std::vector<size_t> front = slow_front(costs);
    for (size_t i = 0; i < left.size(); ++i) {
      const bool on_front = std::find(front.begin(), front.end(), i) != front.end();
      CHECK((ranks[left[i]] == rank) == on_front);
      if (!on_front) next.push_back(left[i]);
    }
    left = next;
  }
}

TEST_CASE("equal costs are all on the front") {
  CHECK(front_of({{1.0, 2.0}, {1.0, 2.0}, {2.0, 2.0}}) == std::vector<size_t>{0, 1});
}

TEST_CASE("the volume of boxes that can be added up by hand") {
  CHECK(hypervolume({{0.5, 0.5}}, {1.0, 1.0}) == doctest::Approx(0.25));
  CHECK(hypervolume({{0.2, 0.6}, {0.6, 0.2}}, {1.0, 1.0}) == doctest::Approx(0.32 + 0.16));
  CHECK(hypervolume({{0.0, 0.0, 0.5}}, {1.0, 1.0, 1.0}) == doctest::Approx(0.5));
  CHECK(hypervolume({{2.0, 0.0}}, {1.0, 1.0}) == doctest::Approx(0.0));
  CHECK(hypervolume({}, {1.0, 1.0}) == 0.0);
}

TEST_CASE("the volume is that of counted cells") {
  for (size_t objectives = 2; objectives <= 3; ++objectives)
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      CAPTURE(objectives);
      CAPTURE(seed);
      const std::vector<Costs> points = drawn(20, objectives, seed);
      CHECK(hypervolume(points, Costs(objectives, 1.0)) ==
            doctest::Approx(slow_volume(points, objectives)).epsilon(0.03));
    }
}

TEST_CASE("designs that chance tells apart are tied, those that differ in each seed are not") {
  const SeedFigures a{{10.0}, {12.0}, {11.0}};
  CHECK(are_tied(a, {{11.0}, {11.0}, {11.2}}, 1));
  // Far apart seeds, but always the same difference.
  CHECK_FALSE(are_tied(a, {{10.5}, {12.5}, {11.51}}, 1));
  CHECK(are_tied(a, a, 1));
}

TEST_CASE("figures that are only reported decide no tie") {
  CHECK(are_tied({{1.0, 5.0}, {1.1, 5.0}}, {{1.1, 9.0}, {1.0, 9.1}}, 1));
  CHECK_FALSE(are_tied({{1.0, 5.0}, {1.1, 5.0}}, {{1.1, 9.0}, {1.0, 9.1}}, 2));
}
