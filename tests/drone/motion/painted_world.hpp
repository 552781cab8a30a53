// A painted ground and a camera above it whose motion is known: what motion is found is held
// against.
#pragma once

#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "apps/drone/track/camera_motion.hpp"
#include "partition/base/dice.hpp"

namespace shingle::drone {

inline constexpr int world_side = 2400;

// Fields of random grey at several sizes, and lines between them. `contrast`: of 1.
inline cv::Mat painted_ground(uint64_t seed, double contrast = 1.0) {
  Dice dice(seed);
  cv::Mat ground(world_side, world_side, CV_8UC3, cv::Scalar::all(110));
  for (int each = 0; each < 6000; ++each) {
    const int x = static_cast<int>(dice.unit() * world_side);
    const int y = static_cast<int>(dice.unit() * world_side);
    const int w = 6 + static_cast<int>(dice.unit() * 60),
              h = 6 + static_cast<int>(dice.unit() * 60);
    const double grey = 110.0 + contrast * (dice.unit() * 160.0 - 80.0);
    cv::rectangle(ground, cv::Rect(x, y, w, h), cv::Scalar(grey, grey * 0.9, grey * 1.1), -1);
  }
  cv::GaussianBlur(ground, ground, {0, 0}, 1.2);
  return ground;
}

// Ground -> picture, pixels with 0,0 at the corner of the first one.
inline Homography camera_at(double x, double y, double angle, double zoom, double tilt,
                            cv::Size size) {
  Homography to_middle = Homography::Identity(), turn = Homography::Identity(),
             out = Homography::Identity();
  to_middle(0, 2) = -x, to_middle(1, 2) = -y;
  turn << zoom * std::cos(angle), -zoom * std::sin(angle), 0.0, zoom * std::sin(angle),
      zoom * std::cos(angle), 0.0, 0.0, tilt, 1.0;
  out(0, 2) = size.width / 2.0, out(1, 2) = size.height / 2.0;
  return out * turn * to_middle;
}

inline cv::Mat picture_of(const cv::Mat& ground, const Homography& camera, cv::Size size) {
  // warpPerspective's pixels count from the middle of the first one.
  Homography half = Homography::Identity();
  half(0, 2) = half(1, 2) = 0.5;
  const Homography motion = inverse_of(half) * camera * half;
  cv::Matx33d matrix;
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) matrix(row, column) = motion(row, column);
  cv::Mat picture;
  cv::warpPerspective(ground, picture, matrix, size, cv::INTER_CUBIC, cv::BORDER_REFLECT);
  return picture;
}

inline void add_noise(cv::Mat& picture, double sigma, uint64_t seed) {
  cv::Mat noise(picture.size(), CV_16SC3), sum;
  cv::RNG(seed).fill(noise, cv::RNG::NORMAL, 0.0, sigma);
  cv::add(picture, noise, sum, {}, CV_16SC3);
  sum.convertTo(picture, CV_8UC3);
}

// The largest distance between where the two bring nine points of the picture.
inline double largest_difference(const Homography& found, const Homography& truth, cv::Size size) {
  double largest = 0.0;
  for (const double x : {0.02, 0.5, 0.98})
    for (const double y : {0.02, 0.5, 0.98}) {
      const Eigen::Vector3d point(x * size.width, y * size.height, 1.0);
      const Eigen::Vector3d a = found * point, b = truth * point;
      largest = std::max(largest, (a.head<2>() / a.z() - b.head<2>() / b.z()).norm());
    }
  return largest;
}

}  // namespace shingle::drone
