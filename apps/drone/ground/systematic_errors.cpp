#include "apps/drone/ground/systematic_errors.hpp"

#include <Eigen/Geometry>
#include <array>
#include <optional>

namespace shingle::drone {
namespace {

struct View {
  Camera camera;
  CameraPose pose;
  double height;
};

CameraPose turned_about(const CameraPose& pose, const Eigen::Vector3d& axis, double angle) {
  return {pose.position, Eigen::AngleAxisd(angle, axis).toRotationMatrix() * pose.camera_to_local};
}

// Each view has one part of the pose off by a sigma.
std::array<View, 8> wrong_views(const View& view, const PoseErrors& errors) {
  std::array<View, 8> views;
  views.fill(view);
  views[0].pose.position.z() += errors.height_m;
  views[1].camera.focal_x *= 1.0 + errors.focal_share;
  views[1].camera.focal_y *= 1.0 + errors.focal_share;
  const Eigen::Matrix3d& axes = view.pose.camera_to_local;
  views[2].pose = turned_about(view.pose, Eigen::Vector3d::UnitZ(), errors.yaw_rad);
  views[3].pose = turned_about(view.pose, axes.col(0), errors.pitch_rad);
  // A roll about the line of sight turns the picture; about the picture's vertical axis it would be
  // a yaw when level, and a lean to the side when the camera looks down.
  views[4].pose = turned_about(view.pose, axes.col(1), errors.roll_rad);
  views[5].pose.position.x() += errors.position_m;
  views[6].pose.position.y() += errors.position_m;
  views[7].height += errors.plane_height_m;
  return views;
}

View moved(View view, const Eigen::Vector3d& way) {
  view.pose.position += way;
  return view;
}

// What the wrong view reads `seconds` later.
std::optional<Eigen::Vector2d> read_again(const View& truth, const View& wrong,
                                          const SeenVehicle& vehicle, double seconds) {
  const Eigen::Vector3d way = vehicle.camera_velocity * seconds;
  const View true_then = moved(truth, way), wrong_then = moved(wrong, way);
  const Eigen::Vector2d point = vehicle.point + vehicle.velocity * seconds;
  const auto pixel =
      pixel_of(true_then.camera, true_then.pose, {point.x(), point.y(), truth.height});
  if (!pixel) return std::nullopt;
  const auto read = ground_point(wrong_then.camera, wrong_then.pose, *pixel, wrong_then.height);
  if (!read) return std::nullopt;
  return *read;
}

}  // namespace

SystematicCovariance systematic_covariance(const Camera& camera, const CameraPose& pose,
                                           const PoseErrors& errors, const SeenVehicle& vehicle) {
  constexpr double one_step = 0.05;  // s: short, so that the ground point moves little
  const View truth{camera, pose, vehicle.height};
  SystematicCovariance sum;
  for (const View& view : wrong_views(truth, errors)) {
    const auto here = read_again(truth, view, vehicle, 0.0);
    const auto before = read_again(truth, view, vehicle, -one_step);
    const auto after = read_again(truth, view, vehicle, one_step);
    if (!here || !before || !after) continue;
    const Eigen::Vector2d position_miss = *here - vehicle.point;
    const Eigen::Vector2d velocity_miss = (*after - *before) / (2.0 * one_step) - vehicle.velocity;
    sum.position += position_miss * position_miss.transpose();
    sum.velocity += velocity_miss * velocity_miss.transpose();
  }
  return sum;
}

}  // namespace shingle::drone
