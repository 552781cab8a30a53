#include "apps/drone/ground/pose.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "apps/drone/ground/homography.hpp"
#include "apps/drone/ground/local_frame.hpp"

using namespace shingle;
using namespace shingle::drone;

TEST_CASE("a camera that looks straight down at 146 m sees 5.7 cm in each pixel") {
  const auto camera = camera_of_equivalent_focal(3840, 2160, 24.0);
  REQUIRE(camera.ok());
  CHECK(metres_per_pixel(*camera, 146.0) == doctest::Approx(0.05703).epsilon(1e-3));
  const auto pose = pose_of({0, 0, 146}, {0, straight_down, 0});
  const auto right = ground_point(*camera, pose, {1921.0, 1080.0});
  const auto up = ground_point(*camera, pose, {1920.0, 1079.0});
  REQUIRE((right.ok() && up.ok()));
  CHECK(right->x() == doctest::Approx(0.05703).epsilon(1e-3));  // right is east
  CHECK(up->y() == doctest::Approx(0.05703).epsilon(1e-3));     // up is north
  const auto upright = camera_of_equivalent_focal(2160, 3840, 24.0);
  CHECK(metres_per_pixel(*upright, 146.0) == doctest::Approx(0.05703).epsilon(1e-3));
}

TEST_CASE("pixels come back from the ground, from any pose and through a lens that bends") {
  auto camera = *camera_of_field_of_view(1920, 1080, 1.2);
  camera.distortion = {-0.12, 0.03, 0.001, -0.0005, 0.002};
  const Attitude looks[] = {{0.3, -0.6, 0.1}, {2.0, -1.2, -0.05}, {5.0, straight_down, 0.0}};
  for (const Attitude& look : looks) {
    const auto pose = pose_of({10, -20, 90}, look);
    for (double x = 200; x < 1920; x += 500)
      for (double y = 300; y < 1080; y += 300) {
        const auto point = ground_point(camera, pose, {x, y}, 0.75);
        REQUIRE(point.ok());
        const auto pixel = pixel_of(camera, pose, {point->x(), point->y(), 0.75});
        REQUIRE(pixel.has_value());
        CHECK((*pixel - Eigen::Vector2d(x, y)).norm() < 1e-6);
      }
  }
}

TEST_CASE("a lens that is strongly bent has a place for each pixel that it shows, else none") {
  auto camera = *camera_of_field_of_view(1920, 1080, 1.6);
  camera.distortion = {-0.28, 0.07, 0.002, -0.001, -0.004};
  CHECK(shows_whole_picture(camera));
  for (double x = 0; x <= 1920; x += 160)
    for (double y = 0; y <= 1080; y += 135) {
      const auto place = undistorted(camera, {x, y});
      REQUIRE(place.has_value());
      CHECK((distorted(camera, *place) - Eigen::Vector2d(x, y)).norm() < 1e-6);
    }
  camera.distortion = {-0.9, 0.0, 0.0, 0.0, 0.0};  // shows nothing beyond 0.41 of the focal length
  CHECK_FALSE(shows_whole_picture(camera));
  CHECK(undistorted(camera, {960, 540}).has_value());
  CHECK_FALSE(undistorted(camera, {0, 0}).has_value());
  CHECK_FALSE(ground_point(camera, pose_of({0, 0, 90}, {0.0, straight_down, 0.0}), {0, 0}).ok());
}

TEST_CASE("a lens shows the same places in a smaller video of the same view") {
  auto camera = *camera_of_field_of_view(3840, 2160, 1.2);
  camera.distortion = {-0.1, 0.02, 0.001, 0.0, 0.0};
  const Camera small = resized(camera, 1280, 720);
  const auto large_place = undistorted(camera, {300, 1500}), place = undistorted(small, {100, 500});
  REQUIRE((large_place && place));
  CHECK((*large_place - *place).norm() < 1e-9);
}

TEST_CASE(
    "a camera that looks 45 degrees down to the east sees the point as far away as it is high") {
  const auto camera = *camera_of_field_of_view(1000, 1000, 1.0);
  const auto pose = pose_of({0, 0, 100}, {std::numbers::pi / 2, -std::numbers::pi / 4, 0});
  const auto point = ground_point(camera, pose, {500, 500});
  REQUIRE(point.ok());
  CHECK(point->x() == doctest::Approx(100.0));
  CHECK(point->y() == doctest::Approx(0.0).scale(1.0));
}

TEST_CASE("angles relative to a platform add to its own") {
  const Attitude level{0.7, 0.0, 0.0};
  const auto by_platform = pose_of({0, 0, 10}, {0.2, -0.9, 0.0}, level);
  const auto direct = pose_of({0, 0, 10}, {0.9, -0.9, 0.0});
  CHECK((by_platform.camera_to_local - direct.camera_to_local).norm() < 1e-12);
}

TEST_CASE("a pixel of the sky, and a camera below the ground, are errors") {
  const auto camera = *camera_of_field_of_view(1000, 1000, 1.0);
  const auto sky = ground_point(camera, pose_of({0, 0, 100}, {0, 0, 0}), {500, 400});
  REQUIRE(!sky.ok());
  CHECK(sky.error().find("horizon") != std::string::npos);
  const auto below =
      ground_point(camera, pose_of({0, 0, 5}, {0, straight_down, 0}), {500, 500}, 6.0);
  REQUIRE(!below.ok());
  CHECK(below.error().find("not above the ground") != std::string::npos);
}

TEST_CASE("four ground points give the map from pixels, and more tell residuals") {
  Eigen::Matrix3d truth;
  truth << 0.05, 0.01, -20, -0.008, -0.06, 30, 1e-5, -2e-5, 1;
  std::vector<PointPair> pairs;
  for (const auto& pixel : {Eigen::Vector2d(10, 20), {1900, 50}, {1800, 1000}, {30, 1050}})
    pairs.push_back({pixel, mapped(truth, pixel)});
  const auto exact = fit_homography(pairs);
  REQUIRE(exact.ok());
  CHECK(exact->rms < 1e-8);
  CHECK((mapped(exact->matrix, {960, 540}) - mapped(truth, {960, 540})).norm() < 1e-8);
  pairs.push_back({{960, 540}, mapped(truth, {960, 540}) + Eigen::Vector2d(0.5, 0.0)});
  const auto over = fit_homography(pairs);
  REQUIRE(over.ok());
  CHECK(over->residuals.size() == 5);
  CHECK(over->rms > 0.05);
}

TEST_CASE("ground points on a line, and fewer than four, are errors") {
  std::vector<PointPair> pairs;
  for (double i = 0; i < 6; ++i) pairs.push_back({{100 * i, 50 * i}, {i, 2 * i}});
  const auto line = fit_homography(pairs);
  REQUIRE(!line.ok());
  CHECK(line.error().find("on a line") != std::string::npos);
  pairs.resize(3);
  CHECK(!fit_homography(pairs).ok());
}

TEST_CASE("local metres are east, north and up, and go back to WGS84") {
  const auto frame = LocalFrame::at({.latitude = 48.0, .longitude = 11.0, .height = 500.0});
  REQUIRE(frame.ok());
  const auto north = frame->to_local({48.001, 11.0, 500.0});
  CHECK(north.y() == doctest::Approx(111.2).epsilon(1e-3));  // a thousandth of a degree
  CHECK(std::abs(north.x()) < 1e-6);
  const auto back = frame->to_wgs84(north);
  CHECK(back.latitude == doctest::Approx(48.001).epsilon(1e-12));
  CHECK(!LocalFrame::at({.latitude = 91.0}).ok());
}
