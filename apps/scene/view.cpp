#include "apps/scene/view.hpp"

#include <cassert>
#include <cmath>

namespace shingle {

// camera.hpp's formula times (altitude - z): w is the height of the camera above the point.
SceneView view_of(const SceneCamera& camera) {
  const double m = 1.0 / camera.metres_per_pixel, h = camera.altitude;
  const double c = std::cos(camera.yaw) * m, s = std::sin(camera.yaw) * m;
  const cv::Point2d nadir = camera.centre + camera.slant;
  // seen - centre = (point * h + nadir * (h - z) - nadir * h) / (h - z) - centre
  //              = (point * h - nadir * z - centre * (h - z)) / (h - z)
  const cv::Matx<double, 2, 4> offset{h, 0, -nadir.x + camera.centre.x, -camera.centre.x * h,
                                      0, h, -nadir.y + camera.centre.y, -camera.centre.y * h};
  const cv::Matx<double, 2, 4> turned = cv::Matx22d{c, s, -s, c} * offset;
  const double u = camera.size.width / 2.0, v = camera.size.height / 2.0;
  return {
      .matrix = {turned(0, 0), turned(0, 1), turned(0, 2) - u, turned(0, 3) + u * h, turned(1, 0),
                 turned(1, 1), turned(1, 2) - v, turned(1, 3) + v * h, 0, 0, -1, h},
      .nadir = nadir,
      .size = camera.size};
}

SceneView finer(SceneView view, double factor) {
  for (int column = 0; column < 4; ++column) {
    view.matrix(0, column) *= factor;
    view.matrix(1, column) *= factor;
  }
  view.size = {static_cast<int>(std::lround(view.size.width * factor)),
               static_cast<int>(std::lround(view.size.height * factor))};
  return view;
}

double depth_of(const SceneView& view, cv::Point2d point, double z) {
  const cv::Matx34d& m = view.matrix;
  return m(2, 0) * point.x + m(2, 1) * point.y + m(2, 2) * z + m(2, 3);
}

cv::Point2d pixel(const SceneView& view, cv::Point2d point, double z) {
  const cv::Matx34d& m = view.matrix;
  const double w = depth_of(view, point, z);
  assert(w > 0.0);
  return {(m(0, 0) * point.x + m(0, 1) * point.y + m(0, 2) * z + m(0, 3)) / w,
          (m(1, 0) * point.x + m(1, 1) * point.y + m(1, 2) * z + m(1, 3)) / w};
}

Outline pixels(const SceneView& view, const Outline& points, double z) {
  Outline seen;
  seen.reserve(points.size());
  for (const cv::Point2d& point : points) seen.push_back(pixel(view, point, z));
  return seen;
}

double pixels_per_metre(const SceneView& view, cv::Point2d point, double z) {
  // The first row without what the depth adds to it: the focal length times the picture's x axis.
  const cv::Matx34d& m = view.matrix;
  const cv::Vec3d along{m(0, 0), m(0, 1), m(0, 2)}, ahead{m(2, 0), m(2, 1), m(2, 2)};
  const double square = ahead.dot(ahead);
  const cv::Vec3d across = square > 0 ? along - ahead * (along.dot(ahead) / square) : along;
  return cv::norm(across) / depth_of(view, point, z);
}

cv::Matx33d ground_homography(const SceneView& view) {
  const cv::Matx34d& m = view.matrix;
  return {m(0, 0), m(0, 1), m(0, 3), m(1, 0), m(1, 1), m(1, 3), m(2, 0), m(2, 1), m(2, 3)};
}

}  // namespace shingle
