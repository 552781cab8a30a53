// The camera's motion by boxes alone.
#include "apps/drone/track/motion_from_boxes.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "partition/base/dice.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

std::vector<PixelBox> random_boxes(Dice& dice, size_t count) {
  std::vector<PixelBox> boxes;
  for (size_t each = 0; each < count; ++each)
    boxes.push_back({1800.0 * dice.unit(), 1000.0 * dice.unit(), 40.0 + 20.0 * dice.unit(),
                     20.0 + 10.0 * dice.unit()});
  return boxes;
}

Homography motion_of(double angle, double scale, double x, double y) {
  Homography motion = Homography::Identity();
  motion << scale * std::cos(angle), -scale * std::sin(angle), x, scale * std::sin(angle),
      scale * std::cos(angle), y, 0.0, 0.0, 1.0;
  return motion;
}

std::vector<PixelBox> all_moved(const std::vector<PixelBox>& boxes, const Homography& motion) {
  std::vector<PixelBox> result;
  for (const PixelBox& box : boxes) result.push_back(moved(box, motion));
  return result;
}

// How far apart the two bring the middle of the picture and a corner.
double difference(const Homography& a, const Homography& b) {
  double largest = 0.0;
  for (const Eigen::Vector3d& point : {Eigen::Vector3d(960, 540, 1), Eigen::Vector3d(0, 0, 1)})
    largest = std::max(largest, ((a - b) * point).head<2>().norm());
  return largest;
}

}  // namespace

TEST_CASE("a shift much larger than a box, a turn and a climb are found") {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Dice dice(seed);
    const auto before = random_boxes(dice, 20);
    const Homography truth = motion_of(0.02 * dice.unit() - 0.01, 0.99 + 0.02 * dice.unit(),
                                       400.0 * dice.unit() - 200.0, 400.0 * dice.unit() - 200.0);
    const auto found = motion_from_boxes(before, all_moved(before, truth));
    REQUIRE_MESSAGE(found, "seed " << seed);
    CHECK_MESSAGE(difference(*found, truth) < 1e-6, "seed " << seed);
  }
}

TEST_CASE("vehicles that turn off, come or go do not matter") {
  int found_count = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Dice dice(seed);
    auto before = random_boxes(dice, 24);
    const Homography truth = motion_of(0.005, 1.0, 150.0 * dice.unit(), -80.0 * dice.unit());
    auto seen = all_moved(before, truth);
    for (size_t i = 0; i < 6; ++i) seen[i] = random_boxes(dice, 1).front();  // elsewhere
    for (PixelBox& box : seen) {
      box.x += 2.0 * dice.unit() - 1.0;
      box.y += 2.0 * dice.unit() - 1.0;
    }
    const auto found = motion_from_boxes(before, seen);
    if (!found) continue;
    ++found_count;
    CHECK_MESSAGE(difference(*found, truth) < 5.0, "seed " << seed);
  }
  CHECK(found_count >= 98);
}

TEST_CASE("few boxes, or boxes with nothing in common, tell nothing") {
  Dice dice(7);
  const auto three = random_boxes(dice, 3);
  CHECK_FALSE(motion_from_boxes(three, three));
  CHECK_FALSE(motion_from_boxes({}, {}));
  int found = 0;
  for (int each = 0; each < 50; ++each)
    found += motion_from_boxes(random_boxes(dice, 12), random_boxes(dice, 12)) ? 1 : 0;
  CHECK(found == 0);
}

TEST_CASE("boxes of other sizes are other vehicles") {
  std::vector<PixelBox> before, seen;
  for (int i = 0; i < 6; ++i) {
    before.push_back({200.0 * i, 50.0 * i * i, 40, 20});
    seen.push_back({200.0 * i + 30.0, 50.0 * i * i, 120, 60});
  }
  CHECK_FALSE(motion_from_boxes(before, seen));
}
