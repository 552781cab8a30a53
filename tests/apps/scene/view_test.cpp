// Views: one projection for every camera of a scene.
#include <doctest/doctest.h>

#include <cmath>

#include "apps/scene/flight/scene_flight.hpp"

namespace shingle {
namespace {

TEST_CASE("A shifted lens is drawn as its formula says") {
  const SceneCamera camera{.centre = {3, -7},
                           .slant = {11, 5},
                           .yaw = 0.4,
                           .metres_per_pixel = 0.11,
                           .altitude = 90,
                           .size = {640, 384}};
  const SceneView view = view_of(camera);
  for (const cv::Point2d at : {cv::Point2d(0, 0), cv::Point2d(20, -13), cv::Point2d(-31, 8)})
    for (const double z : {0.0, 1.5, 12.0}) {
      const cv::Point2d wanted = pixel(camera, at, z), seen = pixel(view, at, z);
      CHECK(seen.x == doctest::Approx(wanted.x).epsilon(1e-9));
      CHECK(seen.y == doctest::Approx(wanted.y).epsilon(1e-9));
    }
  CHECK(pixels_per_metre(view, {4, 4}, 0) == doctest::Approx(1 / 0.11));
}

TEST_CASE("A flight's view shows points where its camera and pose show them") {
  for (const double pitch : {90.0, 60.0, 30.0}) {
    const SceneFlight flight({.altitude = 80,
                              .pitch_degrees = pitch,
                              .yaw_degrees = 35,
                              .path = FlownPath::turning,
                              .seed = 3});
    const SceneView view = flight.view_at(1.7);
    const drone::CameraPose pose = flight.pose_at(1.7);
    for (const Eigen::Vector3d& point :
         {Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(12, -4, 1.5), Eigen::Vector3d(-9, 15, 6)}) {
      const auto wanted = drone::pixel_of(flight.camera(), pose, point);
      REQUIRE(wanted.has_value());
      const cv::Point2d seen = pixel(view, {point.x(), point.y()}, point.z());
      CHECK(seen.x == doctest::Approx(wanted->x()).epsilon(1e-9));
      CHECK(seen.y == doctest::Approx(wanted->y()).epsilon(1e-9));
    }
  }
}

TEST_CASE("Halfway through a clip the picture's middle shows the world's middle") {
  for (const FlownPath path : {FlownPath::hover, FlownPath::straight, FlownPath::turning}) {
    const FlightOptions options{.altitude = 100,
                                .pitch_degrees = 45,
                                .yaw_degrees = 120,
                                .path = path,
                                .frames = 200,
                                .seed = 5};
    const SceneFlight flight(options);
    const cv::Point2d seen = pixel(flight.view_at(4.0), {0, 0}, 0);
    // As near as a drone stands still: some decimetres and tenths of degrees.
    CHECK(std::hypot(seen.x - 960, seen.y - 540) < 25);
  }
}

TEST_CASE("A camera flies as fast and turns as quickly as it was told") {
  FlightOptions options{.pitch_degrees = 60,
                        .path = FlownPath::turning,
                        .speed = 8,
                        .turn_degrees = 9,
                        .frames = 400,
                        .seed = 6};
  const SceneFlight turning(options);
  options.path = FlownPath::straight;
  const SceneFlight straight(options);
  const Eigen::Vector3d way = straight.position_at(14) - straight.position_at(4);
  CHECK(way.head<2>().norm() == doctest::Approx(80).epsilon(0.02));
  CHECK((turning.look_at(9).yaw - turning.look_at(5).yaw) * 180 / CV_PI ==
        doctest::Approx(36).epsilon(0.03));
  const Eigen::Vector3d step = turning.position_at(7.5) - turning.position_at(7.4);
  CHECK(step.head<2>().norm() == doctest::Approx(0.8).epsilon(0.1));
}

TEST_CASE("A camera that would show the horizon is refused") {
  FlightOptions options{.pitch_degrees = 25};
  const Status refused = check(options);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().find("look at least 26.0 degrees down") != std::string::npos);
  options.pitch_degrees = 30;
  CHECK(check(options).ok());
}

}  // namespace
}  // namespace shingle
