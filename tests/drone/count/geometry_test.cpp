#include "apps/drone/count/geometry.hpp"

#include <doctest/doctest.h>

using namespace shingle::drone;

TEST_CASE("a path meets a segment at its share of the way") {
  const auto share = meeting({{0.0, 0.0}, {10.0, 0.0}}, {{4.0, -1.0}, {4.0, 1.0}});
  REQUIRE(share);
  CHECK(*share == doctest::Approx(0.4));
  CHECK(!meeting({{0.0, 0.0}, {10.0, 0.0}}, {{4.0, 1.0}, {4.0, 2.0}}));
  CHECK(!meeting({{0.0, 0.0}, {10.0, 0.0}}, {{0.0, 1.0}, {10.0, 1.0}}));
}

TEST_CASE("a polygon contains what lies inside, also when it is not convex") {
  const std::vector<PlanePoint> hook{{0, 0}, {10, 0}, {10, 10}, {8, 10}, {8, 2}, {0, 2}};
  CHECK(contains(hook, {1, 1}));
  CHECK(contains(hook, {9, 9}));
  CHECK(!contains(hook, {4, 6}));
  CHECK(!contains(hook, {11, 1}));
}

TEST_CASE("a polygon crosses itself where sides cross, touch or double back") {
  CHECK(!self_crossing(std::vector<PlanePoint>{{0, 0}, {10, 0}, {10, 10}, {0, 10}}));
  const auto bow = self_crossing(std::vector<PlanePoint>{{0, 0}, {10, 10}, {10, 0}, {0, 10}});
  REQUIRE(bow);
  CHECK(bow->first == 0);
  CHECK(bow->second == 2);
  CHECK(self_crossing(std::vector<PlanePoint>{{0, 0}, {10, 0}, {10, 10}, {5, 0}, {0, 10}}));
  CHECK(self_crossing(std::vector<PlanePoint>{{0, 0}, {10, 0}, {5, 0}, {5, 10}}));
  CHECK(self_crossing(std::vector<PlanePoint>{{0, 0}, {10, 0}, {10, 0}, {0, 10}}));
}
