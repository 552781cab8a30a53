#include "sim/sweep/nsga2.hpp"

#include <doctest/doctest.h>

using namespace shingle;
using namespace shingle::sim;

namespace {

// Two costs that pull apart: distances from two corners, with a cost for odd values in between.
DesignSpace cube() {
  DesignSpace space;
  space.axes.assign(4, {.values = 12, .ordered = true});
  return space;
}
Costs costs_at(const Design& design) {
  double near = 0.0, far = 0.0;
  for (const uint32_t value : design) {
    near += value * value + 3.0 * (value % 2);
    far += (11.0 - value) * (11.0 - value) + 3.0 * (value % 2);
  }
  return {near, far};
}

struct Found {
  std::vector<Design> designs;
  std::vector<Costs> costs;
};
Found search(const DesignSpace& space, const Nsga2Options& options) {
  Found found;
  Nsga2 search(space, options);
  for (auto designs = search.ask(); !designs.empty(); designs = search.ask()) {
    std::vector<Costs> costs;
    for (const Design& design : designs) {
      costs.push_back(costs_at(design));
      found.designs.push_back(design);
      found.costs.push_back(costs.back());
    }
    search.tell(costs);
  }
  return found;
}

}  // namespace

TEST_CASE("a twentieth of the space's evaluations finds nearly all of its hypervolume") {
  const DesignSpace space = cube();
  std::vector<Costs> all;
  for (const Design& design : all_designs(space)) all.push_back(costs_at(design));
  const CostRange range = range_of(all);
  const double whole = hypervolume(scaled(all, range), {1.0, 1.0});
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    const Found found = search(space, {.population = 40, .evaluations = 1000, .seed = seed});
    const double share = hypervolume(scaled(found.costs, range), {1.0, 1.0}) / whole;
    CHECK(share > 0.98);
    // Chance alone: as many designs that are drawn.
    std::vector<Costs> drawn;
    for (const Design& design : draw_several(space, 1000, seed)) drawn.push_back(costs_at(design));
    CHECK(share > hypervolume(scaled(drawn, range), {1.0, 1.0}) / whole);
  }
}

TEST_CASE("no design is asked for twice, and as many as are allowed") {
  const Found found = search(cube(), {.population = 32, .evaluations = 500, .seed = 3});
  CHECK(found.designs.size() == 500);
  CHECK(std::set<Design>(found.designs.begin(), found.designs.end()).size() == 500);
}

TEST_CASE("the same seed gives the same designs, another one others") {
  const Nsga2Options options{.population = 20, .evaluations = 200, .seed = 9};
  CHECK(search(cube(), options).designs == search(cube(), options).designs);
  CHECK(search(cube(), options).designs !=
        search(cube(), {.population = 20, .evaluations = 200, .seed = 10}).designs);
}

TEST_CASE("a space that is smaller than the evaluations is searched completely") {
  DesignSpace space;
  space.axes.assign(2, {.values = 5});
  CHECK(search(space, {.population = 8, .evaluations = 1000, .seed = 1}).designs.size() == 25);
}

TEST_CASE("designs that are not feasible are forgotten") {
  Nsga2 search(cube(), {.population = 10, .evaluations = 60, .seed = 1});
  size_t asked = 0;
  for (auto designs = search.ask(); !designs.empty(); designs = search.ask()) {
    asked += designs.size();
    search.tell(std::vector<Costs>(designs.size()));
  }
  CHECK(asked == 60);
}
