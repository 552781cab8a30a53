// The camera's motion, found in pictures of a painted ground and held against what it was.
#include "apps/drone/motion/motion_finder.hpp"

#include <doctest/doctest.h>

#include <functional>

#include "tests/drone/motion/painted_world.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

const cv::Size vga{640, 480};

// A camera that flies over the ground, turns, climbs and tilts.
Homography flight(int picture, cv::Size size) {
  const double t = picture;
  return camera_at(700.0 + 12.0 * t, 800.0 + 6.0 * t, 0.006 * t, 1.0 - 0.002 * t,
                   2e-5 * std::sin(0.1 * t), size);
}

struct Worst {
  double step = 0.0, to_key = 0.0, to_first = 0.0;
  int unknown = 0, keys = 0;
};

Worst worst_of(MotionFinder& finder, const cv::Mat& ground, cv::Size size, int pictures,
               const std::function<void(cv::Mat&, int)>& spoil,
               const std::function<std::vector<PixelBox>(int)>& vehicles = {}) {
  Worst worst;
  for (int i = 0; i < pictures; ++i) {
    const Homography camera = flight(i, size);
    cv::Mat picture = picture_of(ground, camera, size);
    if (spoil) spoil(picture, i);
    const PictureMotion motion =
        finder.next(picture, vehicles ? vehicles(i) : std::vector<PixelBox>{});
    worst.keys += motion.is_key ? 1 : 0;
    if (!motion.to_first || (i > 0 && !motion.from_previous)) {
      ++worst.unknown;
      continue;
    }
    CHECK(motion.first == 0);
    const auto from_to = [&](int from, int to) {
      return Homography(flight(to, size) * inverse_of(flight(from, size)));
    };
    const int key = static_cast<int>(motion.key);
    worst.to_first =
        std::max(worst.to_first, largest_difference(*motion.to_first, from_to(i, 0), size));
    worst.to_key =
        std::max(worst.to_key, largest_difference(*motion.to_key, from_to(i, key), size));
    if (i > 0)
      worst.step =
          std::max(worst.step, largest_difference(*motion.from_previous, from_to(i - 1, i), size));
  }
  return worst;
}

}  // namespace

TEST_CASE("a flight is found to a fraction of a pixel, key frame after key frame") {
  MotionFinder finder;
  const cv::Mat ground = painted_ground(1);
  const Worst worst = worst_of(finder, ground, vga, 60, [](cv::Mat& picture, int i) {
    add_noise(picture, 3.0, 100 + static_cast<uint64_t>(i));
  });
  CHECK(worst.unknown == 0);
  CHECK(worst.keys >= 3);
  CHECK(worst.step < 0.5);
  CHECK(worst.to_key < 0.5);
  CHECK(worst.to_first < 2.0);
}

TEST_CASE("large pictures are shrunk, and motions are still those of the pictures' pixels") {
  MotionFinder finder;
  const cv::Size size(1280, 720);
  const Worst worst = worst_of(finder, painted_ground(2), size, 20, {});
  CHECK(worst.unknown == 0);
  CHECK(worst.to_key < 0.5);
}

TEST_CASE("marks that are burnt in do not hold the camera") {
  MotionFinder finder;
  const cv::Mat ground = painted_ground(3, 0.15);  // faint, as in haze
  const Worst worst = worst_of(finder, ground, vga, 60, [](cv::Mat& picture, int i) {
    for (int line = 0; line < 14; ++line)
      cv::putText(picture, "LAT 34.7211 LON -86.6891 " + std::to_string(1000 + i),
                  {10 + 300 * (line % 2), 25 + 16 * line}, cv::FONT_HERSHEY_PLAIN, 1.0,
                  cv::Scalar::all(255), 2);
  });
  CHECK(worst.unknown == 0);
  CHECK(worst.to_key < 2.0);  // by some fifty faint points
}

TEST_CASE("vehicles that fill much of the picture do not move the camera") {
  const cv::Mat ground = painted_ground(4), cars = painted_ground(5);
  const auto boxes = [](int i) {
    std::vector<PixelBox> all;
    for (int column = 0; column < 5; ++column)
      for (int row = 0; row < 3; ++row)
        all.push_back({20.0 + 120.0 * column + 3.0 * i, 20.0 + 160.0 * row, 80.0, 100.0});
    return all;
  };
  // All of them go the same way, and are as sharp as the ground.
  const auto drive = [&](cv::Mat& picture, int i) {
    for (const PixelBox& box : boxes(i)) {
      const cv::Rect area(static_cast<int>(box.x), static_cast<int>(box.y), 80, 100);
      const cv::Rect seen = area & cv::Rect({0, 0}, picture.size());
      if (seen.empty()) continue;
      cars(seen - area.tl() + cv::Point(300, 300)).copyTo(picture(seen));
    }
  };
  MotionFinder finder;
  const Worst worst = worst_of(finder, ground, vga, 20, drive, boxes);
  CHECK(worst.unknown == 0);
  CHECK(worst.to_key < 0.7);
}

TEST_CASE("traffic under a camera that stands still does not move it") {
  const cv::Mat ground = painted_ground(12), cars = painted_ground(13);
  const Homography camera = camera_at(900.0, 900.0, 0.0, 1.0, 0.0, vga);
  MotionFinder finder;
  for (int i = 0; i < 10; ++i) {
    cv::Mat picture = picture_of(ground, camera, vga);
    for (int lane = 0; lane < 2; ++lane)  // two lanes full of cars, all as fast
      for (int car = 0; car < 8; ++car) {
        const cv::Rect seen =
            cv::Rect(80 * car + 6 * i - 40, 180 + 60 * lane, 60, 40) & cv::Rect({0, 0}, vga);
        if (!seen.empty())
          cars(cv::Rect(300 + 100 * car, 300 + 100 * lane, seen.width, seen.height))
              .copyTo(picture(seen));
      }
    const PictureMotion motion = finder.next(picture);
    REQUIRE(motion.to_first);
    CHECK(largest_difference(*motion.to_first, Homography::Identity(), vga) < 0.3);
  }
}

TEST_CASE("a jump that flow cannot follow is found by features") {
  MotionFinder finder;
  const cv::Mat ground = painted_ground(6);
  const Homography before = camera_at(900.0, 900.0, 0.0, 1.0, 0.0, vga);
  const Homography after = camera_at(1060.0, 1000.0, 0.5, 1.15, 0.0, vga);
  finder.next(picture_of(ground, before, vga));
  const PictureMotion motion = finder.next(picture_of(ground, after, vga));
  REQUIRE(motion.from_previous);
  CHECK(largest_difference(*motion.from_previous, after * inverse_of(before), vga) < 3.0);
  REQUIRE(motion.to_key);  // held against the key frame by flow, so it is finer
  CHECK(largest_difference(*motion.to_key, before * inverse_of(after), vga) < 0.7);
}

TEST_CASE("where nothing can be seen the motion is unknown") {
  const cv::Mat ground = painted_ground(7);
  MotionFinder finder({.patience = 5});
  finder.next(picture_of(ground, flight(0, vga), vga));
  for (int i = 0; i < 8; ++i) {
    cv::Mat fog(vga, CV_8UC3, cv::Scalar::all(128));
    if (i % 2 == 1) add_noise(fog, 25.0, 70 + static_cast<uint64_t>(i));
    const PictureMotion motion = finder.next(fog);
    CHECK_FALSE(motion.from_previous);
    CHECK(motion.to_key.has_value() == motion.is_key);
    CHECK(motion.first == (i < 5 ? 0 : 6));
  }
}

TEST_CASE("after a gap the key frame is found again") {
  const cv::Mat ground = painted_ground(8);
  MotionFinder finder;
  const Homography first = flight(0, vga), later = flight(6, vga);
  finder.next(picture_of(ground, first, vga));
  for (int i = 0; i < 5; ++i) finder.next(cv::Mat(vga, CV_8UC3, cv::Scalar::all(0)));
  const PictureMotion motion = finder.next(picture_of(ground, later, vga));
  CHECK_FALSE(motion.from_previous);
  REQUIRE(motion.to_first);
  CHECK(motion.first == 0);
  CHECK(largest_difference(*motion.to_first, first * inverse_of(later), vga) < 0.7);
}

TEST_CASE("another scene, and a picture of another size, begin a new chain") {
  const cv::Mat one = painted_ground(9), other = painted_ground(10);
  MotionFinder finder({.patience = 2});
  for (int i = 0; i < 4; ++i) finder.next(picture_of(one, flight(i, vga), vga));
  int unknown = 0;
  PictureMotion motion;
  for (int i = 4; i < 10; ++i) {
    motion = finder.next(picture_of(other, flight(i, vga), vga));
    unknown += motion.to_first ? 0 : 1;
  }
  CHECK(unknown == 2);
  CHECK(motion.first == 6);
  const PictureMotion small = finder.next(picture_of(other, flight(10, {320, 240}), {320, 240}));
  CHECK(small.first == 10);
  CHECK(small.is_key);
}

TEST_CASE("the same pictures give the same bits") {
  const cv::Mat ground = painted_ground(11);
  MotionFinder a, b;
  for (int i = 0; i < 12; ++i) {
    const cv::Mat picture = picture_of(ground, flight(i, vga), vga);
    const PictureMotion one = a.next(picture), two = b.next(picture);
    REQUIRE(one.to_first);
    CHECK(*one.to_first == *two.to_first);
  }
}
