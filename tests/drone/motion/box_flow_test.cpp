// Boxes followed by the points inside them.
#include "apps/drone/motion/box_flow.hpp"

#include <doctest/doctest.h>

#include "tests/drone/motion/painted_world.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

const cv::Size vga{640, 480};

// A car of the given size whose paint is its own, at a place of the picture.
cv::Mat drawn_paint(uint64_t seed) {
  cv::Mat blocks(16, 8, CV_8UC3);
  cv::RNG(seed).fill(blocks, cv::RNG::UNIFORM, 0, 255);
  cv::Mat paint;
  cv::resize(blocks, paint, {40, 80}, 0, 0, cv::INTER_CUBIC);
  return paint;
}

void draw_car(cv::Mat& picture, const cv::Mat& paint, const PixelBox& box) {
  cv::Mat car;
  cv::resize(paint, car, {static_cast<int>(box.w), static_cast<int>(box.h)}, 0, 0,
             cv::INTER_LINEAR);
  car.copyTo(
      picture(cv::Rect(static_cast<int>(box.x), static_cast<int>(box.y), car.cols, car.rows)));
}

}  // namespace

TEST_CASE("a car goes where its points go, not where the ground goes") {
  const cv::Mat ground = painted_ground(21), paint = drawn_paint(22);
  const Homography camera = camera_at(900.0, 900.0, 0.0, 1.0, 0.0, vga);
  const Homography moved_camera = camera_at(906.0, 903.0, 0.0, 1.0, 0.0, vga);
  cv::Mat before = picture_of(ground, camera, vga), now = picture_of(ground, moved_camera, vga);
  const PixelBox car{200, 150, 40, 80}, there{212, 144, 40, 80};
  draw_car(before, paint, car);
  draw_car(now, paint, there);
  const auto followed = follow_boxes(before, now, std::vector{car});
  REQUIRE(followed.size() == 1);
  CHECK(followed[0].is_certain());
  CHECK(overlap(followed[0].box, there) > 0.95);
}

TEST_CASE("a car that comes nearer grows") {
  cv::Mat before(vga, CV_8UC3, cv::Scalar::all(90)), now = before.clone();
  const cv::Mat paint = drawn_paint(23);
  const PixelBox car{300, 200, 60, 120}, there{298, 205, 66, 132};
  draw_car(before, paint, car);
  draw_car(now, paint, there);
  const auto followed = follow_boxes(before, now, std::vector{car});
  CHECK(followed[0].is_certain());
  CHECK(followed[0].box.w == doctest::Approx(66.0).epsilon(0.03));
  CHECK(overlap(followed[0].box, there) > 0.9);
}

TEST_CASE("boxes without points, outside of the picture, or whose car is gone are not certain") {
  cv::Mat before(vga, CV_8UC3, cv::Scalar::all(90)), now = before.clone();
  draw_car(before, drawn_paint(24), {300, 200, 40, 80});
  const auto followed =
      follow_boxes(before, now,
                   std::vector<PixelBox>{
                       {300, 200, 40, 80}, {20, 20, 40, 40}, {-90, 20, 40, 40}, {630, 470, 2, 2}});
  REQUIRE(followed.size() == 4);
  for (const FollowedBox& each : followed) CHECK_FALSE(each.is_certain());
  CHECK(followed[1].box == PixelBox{20, 20, 40, 40});
}
