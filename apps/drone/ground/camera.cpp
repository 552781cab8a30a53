#include "apps/drone/ground/camera.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <string>

namespace shingle::drone {
namespace {

constexpr double film_width = 36.0;  // mm
constexpr int most_rounds = 50;
constexpr double longest_step = 0.25, near_enough = 1e-12;  // on z = 1
constexpr double least_growth = 1e-3;                       // of areas

Eigen::Vector2d with_distortion(const LensDistortion& lens, const Eigen::Vector2d& place) {
  const double x = place.x(), y = place.y(), r2 = place.squaredNorm();
  const double radial = 1.0 + r2 * (lens.k1 + r2 * (lens.k2 + r2 * lens.k3));
  return {x * radial + 2.0 * lens.p1 * x * y + lens.p2 * (r2 + 2.0 * x * x),
          y * radial + lens.p1 * (r2 + 2.0 * y * y) + 2.0 * lens.p2 * x * y};
}

Eigen::Matrix2d slope(const LensDistortion& lens, const Eigen::Vector2d& place) {
  const double x = place.x(), y = place.y(), r2 = place.squaredNorm();
  const double radial = 1.0 + r2 * (lens.k1 + r2 * (lens.k2 + r2 * lens.k3));
  const double growth = 2.0 * (lens.k1 + r2 * (2.0 * lens.k2 + 3.0 * r2 * lens.k3));
  const double cross = x * y * growth + 2.0 * (lens.p1 * x + lens.p2 * y);
  Eigen::Matrix2d matrix;
  matrix << radial + x * x * growth + 2.0 * lens.p1 * y + 6.0 * lens.p2 * x, cross, cross,
      radial + y * y * growth + 6.0 * lens.p1 * y + 2.0 * lens.p2 * x;
  return matrix;
}

bool is_size(double width, double height) {
  return std::isfinite(width) && std::isfinite(height) && width >= 1.0 && height >= 1.0;
}

}  // namespace

Result<Camera> camera_of_equivalent_focal(double width, double height, double focal_mm) {
  if (!is_size(width, height) || !std::isfinite(focal_mm) || focal_mm <= 0.0)
    return bad_input("a camera needs a picture size and an equivalent focal length above 0 mm");
  // The 36 mm are the film's long side. An upright picture has its long side as the height.
  const double focal = focal_mm / film_width * std::max(width, height);
  return Camera{.width = width,
                .height = height,
                .focal_x = focal,
                .focal_y = focal,
                .centre_x = width / 2.0,
                .centre_y = height / 2.0};
}

Result<Camera> camera_of_field_of_view(double width, double height, double horizontal,
                                       double vertical) {
  const auto is_angle = [](double angle) { return angle > 0.0 && angle < std::numbers::pi; };
  if (!is_size(width, height) || !is_angle(horizontal) || (vertical != 0.0 && !is_angle(vertical)))
    return bad_input("a camera needs a picture size and a field of view between 0 and 180 degrees");
  const double focal_x = width / 2.0 / std::tan(horizontal / 2.0);
  const double focal_y = vertical == 0.0 ? focal_x : height / 2.0 / std::tan(vertical / 2.0);
  return Camera{.width = width,
                .height = height,
                .focal_x = focal_x,
                .focal_y = focal_y,
                .centre_x = width / 2.0,
                .centre_y = height / 2.0};
}

std::optional<Eigen::Vector2d> undistorted(const Camera& camera, const Eigen::Vector2d& pixel) {
  const Eigen::Vector2d seen((pixel.x() - camera.centre_x) / camera.focal_x,
                             (pixel.y() - camera.centre_y) / camera.focal_y);
  if (camera.distortion == LensDistortion{}) return seen;
  Eigen::Vector2d place = seen;
  for (int round = 0; round < most_rounds; ++round) {
    const Eigen::Vector2d miss = with_distortion(camera.distortion, place) - seen;
    const Eigen::Matrix2d matrix = slope(camera.distortion, place);
    // From the middle outwards the picture grows; where it shrinks again, it has folded over.
    if (!place.allFinite() || matrix.determinant() < least_growth) return std::nullopt;
    if (miss.norm() < near_enough) return place;
    Eigen::Vector2d step = matrix.inverse() * miss;
    if (const double length = step.norm(); length > longest_step) step *= longest_step / length;
    place -= step;
  }
  return std::nullopt;
}

Eigen::Vector2d distorted(const Camera& camera, const Eigen::Vector2d& place) {
  const Eigen::Vector2d seen = with_distortion(camera.distortion, place);
  return {camera.focal_x * seen.x() + camera.centre_x, camera.focal_y * seen.y() + camera.centre_y};
}

bool shows_whole_picture(const Camera& camera) {
  constexpr int parts = 16;
  for (int part = 0; part <= parts; ++part) {
    const double share = static_cast<double>(part) / parts;
    const double x = share * camera.width, y = share * camera.height;
    for (const Eigen::Vector2d& pixel : {Eigen::Vector2d(x, 0.0), Eigen::Vector2d(x, camera.height),
                                         Eigen::Vector2d(0.0, y), Eigen::Vector2d(camera.width, y)})
      if (!undistorted(camera, pixel)) return false;
  }
  return true;
}

Camera resized(const Camera& camera, double width, double height) {
  assert(is_size(camera.width, camera.height) && is_size(width, height));
  const double across = width / camera.width, along = height / camera.height;
  return {.width = width,
          .height = height,
          .focal_x = across * camera.focal_x,
          .focal_y = along * camera.focal_y,
          .centre_x = across * camera.centre_x,
          .centre_y = along * camera.centre_y,
          .distortion = camera.distortion};
}

}  // namespace shingle::drone
