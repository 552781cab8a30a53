#include "sim/sweep/design_space.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace shingle;
using namespace shingle::sim;

namespace {

// Three kinds of boards, 0 to 11 of each, at most 11 together.
DesignSpace multisets() {
  DesignSpace space{.axes = {}, .most = 11};
  for (int i = 0; i < 3; ++i) {
    space.axes.push_back({.values = 12, .ordered = true});
    for (uint32_t count = 0; count < 12; ++count) space.axes.back().adds.push_back(count);
  }
  return space;
}

}  // namespace

TEST_CASE("a grid has each design once, in order") {
  const DesignSpace space{.axes = {{.values = 2}, {.values = 3}}};
  const std::vector<Design> designs = all_designs(space);
  CHECK(designs == std::vector<Design>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
  CHECK(combinations(space) == 6);
}

TEST_CASE("designs beyond the limit are left out: multisets of up to eleven of three kinds") {
  const DesignSpace space = multisets();
  CHECK(combinations(space) == 12 * 12 * 12);
  CHECK(all_designs(space).size() == 364);  // 14 over 3
  CHECK(space.contains({11, 0, 0}));
  CHECK_FALSE(space.contains({11, 1, 0}));
}

TEST_CASE("a space of more combinations than can be counted says so") {
  DesignSpace space;
  space.axes.assign(30, {.values = 1000});
  CHECK(combinations(space) == SIZE_MAX);
  CHECK(draw_several(space, 50, 1).size() == 50);
}

TEST_CASE("what is drawn are different designs of the space, the same for the same seed") {
  const DesignSpace space = multisets();
  const std::vector<Design> designs = draw_several(space, 100, 7);
  CHECK(designs.size() == 100);
  CHECK(std::set<Design>(designs.begin(), designs.end()).size() == 100);
  for (const Design& design : designs) CHECK(space.contains(design));
  CHECK(designs == draw_several(space, 100, 7));
  CHECK(designs != draw_several(space, 100, 8));
  CHECK(draw_several(space, 1000, 7).size() == 364);
}
