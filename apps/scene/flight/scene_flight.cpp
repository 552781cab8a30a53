#include "apps/scene/flight/scene_flight.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>

#include "apps/scene/dice.hpp"

namespace shingle {
namespace {

constexpr double degree = CV_PI / 180;
// The flattest ray: beyond it ground is 19 times farther away than the camera is high.
constexpr double flattest_degrees = 3.0;

cv::Size whole_of(const FlightOptions& options) {
  return options.whole.width > 0 ? options.whole : options.size;
}

double half_vertical_view(const FlightOptions& options) {  // degrees
  const cv::Size whole = whole_of(options);
  return std::atan(whole.height / 2.0 / (options.focal_mm / 36.0 * whole.width)) / degree;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

}  // namespace

const char* name_of(FlownPath path) {
  switch (path) {
    case FlownPath::hover:
      return "hover";
    case FlownPath::straight:
      return "straight";
    case FlownPath::turning:
      return "turning";
  }
  return "";
}

Status check(const FlightOptions& options) {
  const double least = half_vertical_view(options) + flattest_degrees;
  if (options.pitch_degrees < least)
    return usage_error("a camera that looks " + number(options.pitch_degrees) +
                       " degrees down would show the horizon; look at least " +
                       number(std::ceil(least)) + " degrees down, or use a longer focal length");
  return success();
}

double SceneFlight::Sway::at(double time) const {
  return size * std::sin(phase + 2 * CV_PI * time / seconds);
}

SceneFlight::SceneFlight(const FlightOptions& options) : options_(options) {
  assert(check(options).ok());
  const cv::Size whole = whole_of(options);
  const auto camera =
      drone::camera_of_equivalent_focal(whole.width, whole.height, options.focal_mm);
  assert(camera.ok());
  camera_ = *camera;
  camera_.width = options.size.width, camera_.height = options.size.height;
  camera_.centre_x -= options.corner.x, camera_.centre_y -= options.corner.y;
  SceneDice dice(sim::mix(options.seed, 401));
  const auto sway = [&](double size, double shortest, double longest) {
    return Sway{size * dice.within(0.5, 1.0), dice.within(0, 2 * CV_PI),
                dice.within(shortest, longest)};
  };
  east_ = sway(0.3, 6, 11), north_ = sway(0.3, 6, 11), up_ = sway(0.15, 8, 14);
  yaw_ = sway(0.3 * degree, 5, 9), pitch_ = sway(0.1 * degree, 4, 8);
}

double SceneFlight::flown_heading(double seconds) const {
  const double middle = options_.frames / options_.frames_per_second / 2;
  const double turn = options_.path == FlownPath::turning ? options_.turn_degrees : 0.0;
  return (options_.yaw_degrees + turn * (seconds - middle)) * degree;
}

drone::Attitude SceneFlight::look_at(double seconds) const {
  // It sways less than nadir at nadir: a gimbal does not look backwards.
  const double pitch = options_.pitch_degrees * degree + pitch_.at(seconds);
  return {.yaw = flown_heading(seconds) + yaw_.at(seconds),
          .pitch = -std::min(pitch, CV_PI / 2),
          .roll = 0.0};
}

Eigen::Vector3d SceneFlight::position_at(double seconds) const {
  const double middle = options_.frames / options_.frames_per_second / 2, since = seconds - middle;
  const double yaw = options_.yaw_degrees * degree;
  // Half of the clip: the ground in the picture's middle is the middle of the world.
  const double behind = options_.altitude / std::tan(options_.pitch_degrees * degree);
  double east = -behind * std::sin(yaw), north = -behind * std::cos(yaw);
  if (options_.path == FlownPath::straight) {
    east += options_.speed * since * std::sin(yaw), north += options_.speed * since * std::cos(yaw);
  } else if (options_.path == FlownPath::turning) {
    // The integral of speed (sin, cos)(heading).
    const double rate = options_.turn_degrees * degree;
    if (std::abs(rate) < 1e-9) {
      east += options_.speed * since * std::sin(yaw);
      north += options_.speed * since * std::cos(yaw);
    } else {
      const double heading = flown_heading(seconds), radius = options_.speed / rate;
      east += radius * (std::cos(yaw) - std::cos(heading));
      north += radius * (std::sin(heading) - std::sin(yaw));
    }
  }
  return {east + east_.at(seconds), north + north_.at(seconds),
          options_.altitude + up_.at(seconds)};
}

drone::CameraPose SceneFlight::pose_at(double seconds) const {
  return drone::pose_of(position_at(seconds), look_at(seconds));
}

SceneView SceneFlight::view_at(double seconds) const { return view_of(camera_, pose_at(seconds)); }

double SceneFlight::reach() const {
  double reach = 0.0;
  for (uint32_t frame = 0; frame < options_.frames; ++frame) {
    const drone::CameraPose pose = pose_at(frame / options_.frames_per_second);
    for (const double u : {0.0, camera_.width})
      for (const double v : {0.0, camera_.height}) {
        const auto corner = drone::ground_point(camera_, pose, {u, v});
        assert(corner.ok());
        reach = std::max({reach, std::abs(corner->x()), std::abs(corner->y())});
      }
  }
  return reach;
}

SceneView view_of(const drone::Camera& camera, const drone::CameraPose& pose) {
  const Eigen::Matrix3d local_to_camera = pose.camera_to_local.transpose();
  const Eigen::Vector3d origin = -(local_to_camera * pose.position);
  cv::Matx34d matrix;
  for (int column = 0; column < 4; ++column) {
    const Eigen::Vector3d axis = column < 3 ? Eigen::Vector3d(local_to_camera.col(column)) : origin;
    matrix(0, column) = camera.focal_x * axis.x() + camera.centre_x * axis.z();
    matrix(1, column) = camera.focal_y * axis.y() + camera.centre_y * axis.z();
    matrix(2, column) = axis.z();
  }
  return {.matrix = matrix,
          .nadir = {pose.position.x(), pose.position.y()},
          .size = {static_cast<int>(camera.width), static_cast<int>(camera.height)}};
}

WorldPlace place_of_world(uint64_t seed) {
  SceneDice dice(sim::mix(seed, 402));
  // Somewhere in the middle of Europe, on a summer's morning of 2025.
  constexpr double first_of_june = 1748736000.0;
  return {.origin = {.latitude = dice.within(46.0, 53.0),
                     .longitude = dice.within(5.0, 19.0),
                     .height = dice.within(60.0, 480.0)},
          .utc_seconds = first_of_june + 86400.0 * dice.between(0, 90) +
                         std::floor(dice.within(7.0, 10.0) * 3600.0)};
}

}  // namespace shingle
