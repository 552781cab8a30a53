#include "apps/drone/ground/pose.hpp"

#include <Eigen/Geometry>
#include <cassert>

namespace shingle::drone {
namespace {

// From forward, right, down of the turned body to those of the body that it is turned from.
Eigen::Matrix3d turned(const Attitude& attitude) {
  return (Eigen::AngleAxisd(attitude.yaw, Eigen::Vector3d::UnitZ()) *
          Eigen::AngleAxisd(attitude.pitch, Eigen::Vector3d::UnitY()) *
          Eigen::AngleAxisd(attitude.roll, Eigen::Vector3d::UnitX()))
      .toRotationMatrix();
}

// A ray so flat that it meets the plane more than this many heights away is as good as horizontal:
// a pixel there covers hundreds of metres.
constexpr double flattest_slope = 1e-3;

}  // namespace

CameraPose pose_of(const Eigen::Vector3d& position, const Attitude& look,
                   const std::optional<Attitude>& platform) {
  Eigen::Matrix3d camera_to_body, down_to_up;
  camera_to_body << 0, 0, 1, 1, 0, 0, 0, 1,
      0;                                     // forward is the camera's z, right its x, down its y
  down_to_up << 0, 1, 0, 1, 0, 0, 0, 0, -1;  // north, east, down -> east, north, up
  Eigen::Matrix3d body_to_earth = turned(look);
  if (platform) body_to_earth = turned(*platform) * body_to_earth;
  return {position, down_to_up * body_to_earth * camera_to_body};
}

Result<Eigen::Vector2d> ground_point(const Camera& camera, const CameraPose& pose,
                                     const Eigen::Vector2d& pixel, double height) {
  const auto place = undistorted(camera, pixel);
  if (!place)
    return bad_input("the lens's distortion has no ray for a pixel; check the camera's numbers");
  const Eigen::Vector3d ray =
      (pose.camera_to_local * Eigen::Vector3d(place->x(), place->y(), 1.0)).normalized();
  const double fall = pose.position.z() - height;
  if (!(fall > 0.0))
    return bad_input("the camera is not above the ground; give the ground's height");
  if (!(-ray.z() > flattest_slope))
    return bad_input("a pixel shows the horizon or the sky, not the ground; tilt the camera down");
  const Eigen::Vector3d point = pose.position + ray * (fall / -ray.z());
  return Eigen::Vector2d(point.x(), point.y());
}

std::optional<Eigen::Vector2d> pixel_of(const Camera& camera, const CameraPose& pose,
                                        const Eigen::Vector3d& point) {
  const Eigen::Vector3d seen = pose.camera_to_local.transpose() * (point - pose.position);
  if (seen.z() <= 1e-9) return std::nullopt;
  return distorted(camera, {seen.x() / seen.z(), seen.y() / seen.z()});
}

double metres_per_pixel(const Camera& camera, double height_above_plane) {
  assert(height_above_plane > 0.0 && camera.focal_x > 0.0);
  return height_above_plane / camera.focal_x;
}

}  // namespace shingle::drone
