// A smoothed path between its moments.
#include "apps/drone/ground/motion_at.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

using namespace shingle::drone;

namespace {

constexpr double degree = std::numbers::pi / 180.0;

GroundMotion moment(double seconds, double east, double speed, double heading_degrees) {
  return {.seconds = seconds,
          .east = {east, 0.2},
          .north = {-east, 0.4},
          .speed = Estimate{speed, 1.0},
          .heading = Estimate{heading_degrees * degree, 0.1}};
}

}  // namespace

TEST_CASE("at a moment of the path it is that moment") {
  const std::vector<GroundMotion> path{moment(1.0, 10, 5, 90), moment(1.5, 12, 4, 90)};
  const auto motion = motion_at(path, 1.5);
  REQUIRE(motion);
  CHECK(motion->east.value == 12.0);
  CHECK(motion->speed->value == 4.0);
}

TEST_CASE("between two moments values and half-widths are linear") {
  std::vector<GroundMotion> path{moment(1.0, 10, 5, 90), moment(2.0, 12, 4, 90)};
  path[1].east.half_width = 0.6;
  const auto motion = motion_at(path, 1.25);
  REQUIRE(motion);
  CHECK(motion->seconds == 1.25);
  CHECK(motion->east.value == doctest::Approx(10.5));
  CHECK(motion->east.half_width == doctest::Approx(0.3));
  CHECK(motion->north.value == doctest::Approx(-10.5));
  CHECK(motion->speed->value == doctest::Approx(4.75));
}

TEST_CASE("a heading turns the shorter way, over north as well") {
  const std::vector<GroundMotion> path{moment(0.0, 0, 5, 350), moment(1.0, 1, 5, 30)};
  CHECK(std::abs(std::remainder(motion_at(path, 0.25)->heading->value, 360.0 * degree)) < 1e-9);
  CHECK(motion_at(path, 0.5)->heading->value == doctest::Approx(10.0 * degree));
  const std::vector<GroundMotion> back{moment(0.0, 0, 5, 10), moment(1.0, 1, 5, 330)};
  CHECK(motion_at(back, 0.75)->heading->value == doctest::Approx(340.0 * degree));
}

TEST_CASE("what one moment does not know is the nearer one's") {
  std::vector<GroundMotion> path{moment(0.0, 0, 5, 90), moment(1.0, 1, 0, 90)};
  path[1].heading.reset();
  CHECK(motion_at(path, 0.4)->heading);
  CHECK_FALSE(motion_at(path, 0.6)->heading);
}

TEST_CASE("outside of the path nothing is known") {
  const std::vector<GroundMotion> path{moment(1.0, 10, 5, 90), moment(2.0, 12, 4, 90)};
  CHECK_FALSE(motion_at(path, 0.999));
  CHECK_FALSE(motion_at(path, 2.001));
  CHECK_FALSE(motion_at({}, 1.0));
}
