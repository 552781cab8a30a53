// SceneCamera: from metres in the scene to pixels in the picture. The camera looks down through a
// shifted lens, so the ground is seen to scale (one metres_per_pixel everywhere) while whatever
// stands up leans away from the nadir, the point below the camera:
//
//   altitude  o          seen = nadir + (point - nadir) * altitude / (altitude - z)
//             |\  .
//             | \     .         x to the right, y down the picture (at yaw 0), z up; metres
//             |  \ z      .
//   nadir ----+---|-----------.---- ground
//                point      seen
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "apps/findings/detection.hpp"

namespace shingle {

struct SceneCamera {
  cv::Point2d centre{};  // the ground in the middle of the picture
  cv::Point2d slant{};   // nadir - centre: zero looks straight down, more is steep
  double yaw = 0.0;      // radians; how the picture is turned against the scene
  double metres_per_pixel = 0.12;
  double altitude = 120.0;
  cv::Size size{640, 384};
};

using Outline = std::vector<cv::Point2d>;

cv::Point2d pixel(const SceneCamera& camera, cv::Point2d point, double z);
Outline pixels(const SceneCamera& camera, const Outline& points, double z);

// The same view with `factor` times as many pixels each way.
SceneCamera finer(SceneCamera camera, double factor);

// A camera that sees the ground from x, y to x + w, y + h, north up: for canvases.
SceneCamera map_camera(cv::Rect2d ground, double metres_per_pixel);

// Takes pixels of `from` to pixels of `to`, for points on the ground: a 2x3 matrix.
cv::Mat ground_transform(const SceneCamera& from, const SceneCamera& to);

Outline hull(const Outline& points);
Box bounds(const Outline& points);

}  // namespace shingle
