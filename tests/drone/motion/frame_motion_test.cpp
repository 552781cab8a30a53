// The camera's motion between frames that are looked at.
#include "apps/drone/motion/frame_motion.hpp"

#include <doctest/doctest.h>

using namespace shingle::drone;

namespace {

Homography shift(double x) {
  Homography motion = Homography::Identity();
  motion(0, 2) = x;
  return motion;
}

// The picture lies `place` pixels to the right in the first one.
PictureMotion at(double place, double step) {
  return {.from_previous = shift(-step), .to_key = shift(place), .to_first = shift(place)};
}

}  // namespace

TEST_CASE("the first frame has no motion, the next ones have that since the frame before") {
  FrameMotion motion;
  motion.see(at(0, 0));
  CHECK_FALSE(motion.take());
  motion.see(at(3, 3));
  motion.see(at(5, 2));  // two pictures, one of which was not looked at
  const auto found = motion.take();
  REQUIRE(found);
  CHECK((*found)(0, 2) == doctest::Approx(-5.0));
}

TEST_CASE("over a gap the motion leads from the last place that was known") {
  FrameMotion motion;
  motion.see(at(0, 0));
  motion.take();
  motion.see(at(4, 4));
  REQUIRE(motion.take());
  motion.see({});  // nothing is known of it
  CHECK_FALSE(motion.take());
  PictureMotion again = at(11, 0);
  again.from_previous.reset();
  motion.see(again);
  const auto found = motion.take();
  REQUIRE(found);
  CHECK((*found)(0, 2) == doctest::Approx(-7.0));
}

TEST_CASE("another chain has nothing to do with the one before") {
  FrameMotion motion;
  motion.see(at(0, 0));
  motion.take();
  PictureMotion other{.to_key = shift(0), .to_first = shift(0), .key = 9, .first = 9};
  motion.see(other);
  CHECK_FALSE(motion.take());
}

TEST_CASE("steps are enough where the key frame is not found") {
  FrameMotion motion;
  motion.see(at(0, 0));
  motion.take();
  motion.see({.from_previous = shift(-2)});
  motion.see({.from_previous = shift(-3)});
  const auto found = motion.take();
  REQUIRE(found);
  CHECK((*found)(0, 2) == doctest::Approx(-5.0));
}
