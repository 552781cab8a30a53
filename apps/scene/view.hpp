// SceneView: what drawing needs to know of a camera. Every camera of a scene, shifted lens or
// pinhole, is one projective map from metres to pixels:
//
//   (u w, v w, w) = matrix (x, y, z, 1)       w > 0 before the camera
#pragma once

#include <opencv2/core.hpp>

#include "apps/scene/camera.hpp"

namespace shingle {

struct SceneView {
  cv::Matx34d matrix = cv::Matx34d::zeros();
  cv::Point2d nadir{};  // the ground below the camera
  cv::Size size{};
};

SceneView view_of(const SceneCamera& camera);
// The same view with `factor` times as many pixels each way.
SceneView finer(SceneView view, double factor);

// How far before the camera the point is, in the view's own unit: 0 or less is behind it.
double depth_of(const SceneView& view, cv::Point2d point, double z);

// REQUIRES: the point is before the camera.
cv::Point2d pixel(const SceneView& view, cv::Point2d point, double z);
Outline pixels(const SceneView& view, const Outline& points, double z);

// Pixels that a metre across the line of sight takes there.
double pixels_per_metre(const SceneView& view, cv::Point2d point, double z);

// Takes places on the ground to pixels: 3x3.
cv::Matx33d ground_homography(const SceneView& view);

}  // namespace shingle
