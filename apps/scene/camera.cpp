#include "apps/scene/camera.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace shingle {

cv::Point2d pixel(const SceneCamera& camera, cv::Point2d point, double z) {
  const cv::Point2d nadir = camera.centre + camera.slant;
  const cv::Point2d seen = nadir + (point - nadir) * (camera.altitude / (camera.altitude - z));
  const cv::Point2d from_centre = (seen - camera.centre) / camera.metres_per_pixel;
  const double c = std::cos(camera.yaw), s = std::sin(camera.yaw);
  return {c * from_centre.x + s * from_centre.y + camera.size.width / 2.0,
          -s * from_centre.x + c * from_centre.y + camera.size.height / 2.0};
}

Outline pixels(const SceneCamera& camera, const Outline& points, double z) {
  Outline seen;
  seen.reserve(points.size());
  for (const cv::Point2d& point : points) seen.push_back(pixel(camera, point, z));
  return seen;
}

SceneCamera finer(SceneCamera camera, double factor) {
  camera.metres_per_pixel /= factor;
  camera.size = {static_cast<int>(std::lround(camera.size.width * factor)),
                 static_cast<int>(std::lround(camera.size.height * factor))};
  return camera;
}

SceneCamera map_camera(cv::Rect2d ground, double metres_per_pixel) {
  return {.centre = {ground.x + ground.width / 2, ground.y + ground.height / 2},
          .slant = {},
          .yaw = 0.0,
          .metres_per_pixel = metres_per_pixel,
          .altitude = 1e9,
          .size = {static_cast<int>(std::ceil(ground.width / metres_per_pixel)),
                   static_cast<int>(std::ceil(ground.height / metres_per_pixel))}};
}

cv::Mat ground_transform(const SceneCamera& from, const SceneCamera& to) {
  const cv::Point2d corners[3] = {{0, 0}, {1, 0}, {0, 1}};  // metres about the target's centre
  cv::Point2f source[3], target[3];
  for (int i = 0; i < 3; ++i) {
    const cv::Point2d ground = to.centre + corners[i] * 20.0;  // 20 m: a base long enough for float
    source[i] = pixel(from, ground, 0.0);
    target[i] = pixel(to, ground, 0.0);
  }
  return cv::getAffineTransform(source, target);
}

Outline hull(const Outline& points) {
  std::vector<cv::Point2f> single(points.begin(), points.end()), around;
  cv::convexHull(single, around);
  return {around.begin(), around.end()};
}

Box bounds(const Outline& points) {
  double left = points[0].x, right = left, top = points[0].y, bottom = top;
  for (const cv::Point2d& point : points) {
    left = std::min(left, point.x), right = std::max(right, point.x);
    top = std::min(top, point.y), bottom = std::max(bottom, point.y);
  }
  return {static_cast<float>(left), static_cast<float>(top), static_cast<float>(right - left),
          static_cast<float>(bottom - top)};
}

}  // namespace shingle
