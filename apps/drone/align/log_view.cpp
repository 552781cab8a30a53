#include "apps/drone/align/log_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "apps/drone/ground/homography.hpp"

namespace shingle::drone {
namespace {

constexpr double radians = std::numbers::pi / 180.0;

// Of the calibration's pictures and the video's: another one shows another part of the lens.
constexpr double most_shape_ratio = 1.01;

Result<Camera> calibrated(const Camera& camera, const ViewOptions& options) {
  const double ratio = camera.width / camera.height * options.height / options.width;
  if (ratio > most_shape_ratio || ratio * most_shape_ratio < 1.0)
    return bad_input("the camera was calibrated with pictures of " +
                     std::to_string(std::lround(camera.width)) + "x" +
                     std::to_string(std::lround(camera.height)) + ", and these are " +
                     std::to_string(std::lround(options.width)) + "x" +
                     std::to_string(std::lround(options.height)) +
                     ": another part of the lens; calibrate it in the video's mode");
  return resized(camera, options.width, options.height);
}

Result<Camera> camera_of(const Telemetry& moment, const ViewOptions& options) {
  if (options.camera) return calibrated(*options.camera, options);
  if (options.focal_35mm)
    return camera_of_equivalent_focal(options.width, options.height, *options.focal_35mm);
  if (moment.horizontal_view)
    return camera_of_field_of_view(options.width, options.height, *moment.horizontal_view * radians,
                                   moment.vertical_view.value_or(0.0) * radians);
  if (moment.focal_35mm)
    return camera_of_equivalent_focal(options.width, options.height, *moment.focal_35mm);
  return bad_input("the log has no field of view; give the camera's with --focal-35mm");
}

CameraPose pose_in(const Telemetry& moment, const Eigen::Vector3d& position,
                   const ViewOptions& options) {
  const auto angle = [](const Telemetry::Known& value) { return value.value_or(0.0) * radians; };
  if (moment.gimbal_yaw && moment.gimbal_pitch)
    return pose_of(position, {angle(moment.gimbal_yaw), angle(moment.gimbal_pitch),
                              angle(moment.gimbal_roll)});
  const Attitude body{angle(moment.body_yaw), angle(moment.body_pitch), angle(moment.body_roll)};
  if (moment.relative_yaw && moment.relative_pitch)
    return pose_of(
        position,
        {angle(moment.relative_yaw), angle(moment.relative_pitch), angle(moment.relative_roll)},
        body);
  const double yaw = moment.gimbal_yaw ? angle(moment.gimbal_yaw) : body.yaw;
  const double pitch = options.gimbal_pitch  ? *options.gimbal_pitch * radians
                       : moment.gimbal_pitch ? angle(moment.gimbal_pitch)
                                             : straight_down;
  return pose_of(position, {yaw, pitch, angle(moment.gimbal_roll)});
}

struct Heights {
  double camera = 0.0, ground = 0.0;
};

Result<Heights> heights_of(const Telemetry& moment, const ViewOptions& options) {
  if (moment.height) return Heights{*moment.height, options.ground_height.value_or(0.0)};
  if (!moment.altitude) return bad_input("the log has no height");
  if (options.ground_height) return Heights{*moment.altitude, *options.ground_height};
  if (moment.centre_altitude) return Heights{*moment.altitude, *moment.centre_altitude};
  return bad_input(
      "the log has heights above sea level alone; give the ground's with --ground-height");
}

}  // namespace

Result<LogView> view_of(const Telemetry& moment, const LocalFrame& frame,
                        const ViewOptions& options) {
  if (!moment.latitude || !moment.longitude) return bad_input("the log has no position");
  const auto heights = heights_of(moment, options);
  if (!heights) return heights.failure();
  auto camera = camera_of(moment, options);
  if (!camera) return camera.failure();
  const Eigen::Vector3d position =
      frame.to_local({*moment.latitude, *moment.longitude, heights->camera});
  return LogView{*camera, pose_in(moment, position, options), heights->ground};
}

Result<LocalFrame> local_frame_of(const Flight& flight) {
  const auto first = std::ranges::find_if(
      flight.samples, [](const Telemetry& sample) { return sample.latitude && sample.longitude; });
  if (first == flight.samples.end()) return bad_input("'" + flight.name + "' has no position");
  return LocalFrame::at({*first->latitude, *first->longitude, 0.0});
}

std::optional<Eigen::Matrix3d> motion_between(const LogView& from, const LogView& to) {
  std::vector<PointPair> pairs;
  for (const double across : {0.1, 0.9})
    for (const double along : {0.1, 0.9}) {
      const Eigen::Vector2d pixel(across * from.camera.width, along * from.camera.height);
      const auto ground = ground_point(from.camera, from.pose, pixel, from.ground);
      if (!ground) return std::nullopt;
      const auto there = pixel_of(to.camera, to.pose, {ground->x(), ground->y(), from.ground});
      if (!there) return std::nullopt;
      pairs.push_back({pixel, *there});
    }
  const auto fitted = fit_homography(pairs);
  if (!fitted) return std::nullopt;
  return fitted->matrix;
}

}  // namespace shingle::drone
