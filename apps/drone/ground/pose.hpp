// Where a camera is and where it looks, and what its pixels show of the ground.
//
//   pixel -> ray in the camera (x right, y down, z forward) -> ray in local metres -> plane of
//   height z
//
// Local metres are east, north, up. Angles are radians: yaw clockwise from north, pitch above the
// horizon (straight down is -pi/2), roll clockwise as seen from behind, applied in this order about
// turned axes (ZYX on north, east, down), as DJI's gimbals, MISB ST 0601 and aviation have them.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "apps/drone/ground/camera.hpp"

namespace shingle::drone {

struct Attitude {
  double yaw = 0.0, pitch = 0.0, roll = 0.0;
};

struct CameraPose {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // local metres
  Eigen::Matrix3d camera_to_local = Eigen::Matrix3d::Identity();
};

// `look` is measured from north and the horizon, as DJI's gimbals do. With a `platform`, `look` is
// measured from that platform's axes, as MISB's relative angles are.
CameraPose pose_of(const Eigen::Vector3d& position, const Attitude& look,
                   const std::optional<Attitude>& platform = std::nullopt);
inline constexpr double straight_down = -1.5707963267948966;

// The point of the plane up = `height` that the pixel shows. Errors: the ray does not go down to
// the plane (at or above the horizon, or the plane is above the camera); the pixel has no ray.
Result<Eigen::Vector2d> ground_point(const Camera& camera, const CameraPose& pose,
                                     const Eigen::Vector2d& pixel, double height = 0.0);

// None: the point is behind the camera. The pixel may lie outside the picture.
std::optional<Eigen::Vector2d> pixel_of(const Camera& camera, const CameraPose& pose,
                                        const Eigen::Vector3d& point);

// Metres of the plane `height` that one pixel covers at the picture's centre of a camera that looks
// straight down: height above the plane / focal length. REQUIRES: the camera is above the plane.
double metres_per_pixel(const Camera& camera, double height_above_plane);

}  // namespace shingle::drone
