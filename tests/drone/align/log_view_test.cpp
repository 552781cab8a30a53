// What a camera showed by its log.
#include "apps/drone/align/log_view.hpp"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>

#include "apps/drone/ground/homography.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

const ViewOptions full_hd{.width = 1920.0, .height = 1080.0};

Telemetry above(double latitude, double longitude, double height) {
  Telemetry moment;
  moment.latitude = latitude;
  moment.longitude = longitude;
  moment.height = height;
  moment.gimbal_yaw = 0.0;
  moment.gimbal_pitch = -90.0;
  moment.gimbal_roll = 0.0;
  moment.focal_35mm = 24.0;
  return moment;
}

LocalFrame frame_at(double latitude, double longitude) {
  return *LocalFrame::at({latitude, longitude, 0.0});
}

Eigen::Vector2d ground_at(const LogView& view, double x, double y) {
  const auto point = ground_point(view.camera, view.pose, {x, y}, view.ground);
  REQUIRE(point);
  return *point;
}

}  // namespace

TEST_CASE("straight down from 100 m with 24 mm the picture is 150 m wide") {
  const auto view = view_of(above(48.0, 11.0, 100.0), frame_at(48.0, 11.0), full_hd);
  REQUIRE_MESSAGE(view, view.error());
  CHECK(ground_at(*view, 960, 540).norm() == doctest::Approx(0.0).epsilon(1e-6));
  const double wide = (ground_at(*view, 1920, 540) - ground_at(*view, 0, 540)).norm();
  CHECK(wide == doctest::Approx(150.0));
  CHECK(ground_at(*view, 960, 0).y() > 0.0);  // north is up
}

TEST_CASE("a calibrated lens counts before the log's, in pictures of its shape alone") {
  ViewOptions options = full_hd;
  options.camera = *camera_of_equivalent_focal(3840, 2160, 48.0);
  const auto view = view_of(above(48.0, 11.0, 100.0), frame_at(48.0, 11.0), options);
  REQUIRE_MESSAGE(view, view.error());
  const double wide = (ground_at(*view, 1920, 540) - ground_at(*view, 0, 540)).norm();
  CHECK(wide == doctest::Approx(75.0));  // of a log that says 24 mm
  options.camera = *camera_of_equivalent_focal(4000, 3000, 48.0);
  const auto other = view_of(above(48.0, 11.0, 100.0), frame_at(48.0, 11.0), options);
  REQUIRE_FALSE(other);
  CHECK(other.error().find("4000x3000, and these are 1920x1080") != std::string::npos);
}

TEST_CASE("angles are the gimbal's, else the body's and the relative ones, else straight down") {
  const LocalFrame frame = frame_at(48.0, 11.0);
  Telemetry moment = above(48.0, 11.0, 100.0);
  moment.gimbal_yaw = 90.0;
  moment.gimbal_pitch = -45.0;
  auto view = view_of(moment, frame, full_hd);
  REQUIRE(view);
  CHECK(ground_at(*view, 960, 540).x() == doctest::Approx(100.0).epsilon(1e-6));  // east
  Telemetry relative = above(48.0, 11.0, 100.0);
  relative.gimbal_yaw.reset(), relative.gimbal_pitch.reset(), relative.gimbal_roll.reset();
  relative.body_yaw = 60.0;
  relative.relative_yaw = 30.0;
  relative.relative_pitch = -45.0;
  view = view_of(relative, frame, full_hd);
  REQUIRE(view);
  CHECK(ground_at(*view, 960, 540).x() == doctest::Approx(100.0).epsilon(1e-6));
  relative.relative_yaw.reset(), relative.relative_pitch.reset();
  view = view_of(relative, frame, full_hd);
  REQUIRE(view);
  CHECK(ground_at(*view, 960, 540).norm() < 1e-6);
  ViewOptions pitched = full_hd;
  pitched.gimbal_pitch = -45.0;
  view = view_of(relative, frame, pitched);
  REQUIRE(view);
  CHECK(ground_at(*view, 960, 540).norm() == doctest::Approx(100.0).epsilon(1e-6));
}

TEST_CASE("the ground lies where the option, the log's centre, or take-off says") {
  const LocalFrame frame = frame_at(48.0, 11.0);
  Telemetry moment = above(48.0, 11.0, 100.0);
  ViewOptions lower = full_hd;
  lower.ground_height = -20.0;
  CHECK(view_of(moment, frame, lower)->ground == -20.0);
  moment.height.reset();
  moment.altitude = 600.0;
  const auto unknown = view_of(moment, frame, full_hd);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().find("--ground-height") != std::string::npos);
  moment.centre_altitude = 510.0;
  CHECK(view_of(moment, frame, full_hd)->ground == 510.0);
}

TEST_CASE("what the log lacks is named with the option that gives it") {
  const LocalFrame frame = frame_at(48.0, 11.0);
  Telemetry moment = above(48.0, 11.0, 100.0);
  moment.focal_35mm.reset();
  const auto no_lens = view_of(moment, frame, full_hd);
  REQUIRE_FALSE(no_lens);
  CHECK(no_lens.error().find("--focal-35mm") != std::string::npos);
  moment.latitude.reset();
  CHECK_FALSE(view_of(moment, frame, full_hd));
  Flight flight{.name = "a.csv", .samples = {moment}};
  CHECK_FALSE(local_frame_of(flight));
}

TEST_CASE("the motion between two views brings ground points to ground points") {
  const LocalFrame frame = frame_at(48.0, 11.0);
  Telemetry later = above(48.0001, 11.0002, 110.0);
  later.gimbal_yaw = 20.0;
  later.gimbal_pitch = -80.0;
  const auto from = view_of(above(48.0, 11.0, 100.0), frame, full_hd);
  const auto to = view_of(later, frame, full_hd);
  REQUIRE(from);
  REQUIRE(to);
  const auto motion = motion_between(*from, *to);
  REQUIRE(motion);
  for (const Eigen::Vector2d& pixel : {Eigen::Vector2d(300, 200), Eigen::Vector2d(1500, 900)}) {
    const Eigen::Vector2d ground = ground_at(*from, pixel.x(), pixel.y());
    const Eigen::Vector2d there = mapped(*motion, pixel);
    CHECK((ground_at(*to, there.x(), there.y()) - ground).norm() < 1e-6);
  }
  const auto back = motion_between(*to, *from);
  REQUIRE(back);
  CHECK((*back * *motion / (*back * *motion)(2, 2) - Eigen::Matrix3d::Identity()).norm() < 1e-6);
}

TEST_CASE("a view of the sky has no motion") {
  const LocalFrame frame = frame_at(48.0, 11.0);
  Telemetry up = above(48.0, 11.0, 100.0);
  up.gimbal_pitch = 5.0;
  const auto down = view_of(above(48.0, 11.0, 100.0), frame, full_hd);
  const auto sky = view_of(up, frame, full_hd);
  REQUIRE(down);
  REQUIRE(sky);
  CHECK_FALSE(motion_between(*sky, *down));
}
