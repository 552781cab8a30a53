// What an error of the pose does to points and speeds on the ground. The pose of a whole flight is
// wrong in one direction (a barometer that reads 1 % low, a compass 2 degrees off), so no smoothing
// removes it: it is told beside the noise of the boxes (decision 75).
#pragma once

#include <Eigen/Core>

#include "apps/drone/ground/pose.hpp"

namespace shingle::drone {

// One sigma each. The defaults are those of a small drone with a barometer, a compass and GPS.
struct PoseErrors {
  double height_m = 1.5;      // of the camera above the ground
  double focal_share = 0.01;  // of the focal length: makers round the equivalent one
  double yaw_rad = 0.035;     // 2 degrees
  double pitch_rad = 0.009;   // half a degree
  double roll_rad = 0.009;
  double position_m = 1.5;  // east and north, each
  // Of the point that is looked at: half the vehicle's height, and the height of the ground.
  double plane_height_m = 0.15;
};

struct SystematicCovariance {
  Eigen::Matrix2d position = Eigen::Matrix2d::Zero();  // m^2
  Eigen::Matrix2d velocity = Eigen::Matrix2d::Zero();  // (m/s)^2
};

// A vehicle on the plane up = `height`, seen by a camera that moves without turning. The camera's
// speed matters: a wrong scale stretches only how the vehicle moves in the picture.
struct SeenVehicle {
  Eigen::Vector2d point = Eigen::Vector2d::Zero(), velocity = Eigen::Vector2d::Zero();
  Eigen::Vector3d camera_velocity = Eigen::Vector3d::Zero();
  double height = 0.0;
};

// The vehicle is seen in the picture of this pose, and read again with each part of the pose off by
// its sigma. A part that would turn the pixel away from the ground does not count.
SystematicCovariance systematic_covariance(const Camera& camera, const CameraPose& pose,
                                           const PoseErrors& errors, const SeenVehicle& vehicle);

}  // namespace shingle::drone
