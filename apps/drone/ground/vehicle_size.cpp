#include "apps/drone/ground/vehicle_size.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace shingle::drone {
namespace {

// Frames of one track repeat each other's errors (boxes of neighbouring frames are cut by the same
// shadow), so no more than this many count as independent.
constexpr double most_independent = 30.0;
constexpr double guessed_noise = 0.2, least_noise = 0.05;  // m

// Length, width, by how much the detector draws too large, height as a share of the typical one.
using Unknowns = Eigen::Vector4d;

struct Sums {
  Eigen::Matrix4d squares = Eigen::Matrix4d::Zero();
  Unknowns products = Unknowns::Zero();
};

template <class Each>
void for_each_equation(const BoxExtent& box, const TypicalVehicle& usual, Each each) {
  for (const BoxSide* side : {&box.x, &box.y}) {
    const Unknowns row(side->per_length, side->per_width, box.pixels_per_metre,
                       side->per_height * usual.height);
    each(row / box.pixels_per_metre, side->pixels / box.pixels_per_metre);
  }
}

}  // namespace

Result<BoxExtent> box_extent(const Camera& camera, const CameraPose& pose, const PixelEdges& box,
                             VehicleKind kind, double heading_rad) {
  const double height = box_centre_height(kind);
  const Eigen::Vector2d centre((box.left + box.right) / 2.0, (box.top + box.bottom) / 2.0);
  const auto ground = ground_point(camera, pose, centre, height);
  if (!ground) return ground.failure();
  const Eigen::Vector3d middle(ground->x(), ground->y(), height);
  // Pixels that a metre takes: from half a metre before to half a metre behind.
  const auto metre = [&](const Eigen::Vector3d& way) -> Eigen::Vector2d {
    const auto before = pixel_of(camera, pose, middle - way / 2.0);
    const auto behind = pixel_of(camera, pose, middle + way / 2.0);
    if (!before || !behind) return Eigen::Vector2d::Zero();
    return (*behind - *before).cwiseAbs();
  };
  const double s = std::sin(heading_rad), c = std::cos(heading_rad);
  const Eigen::Vector2d forward = metre({s, c, 0.0}), right = metre({c, -s, 0.0}),
                        up = metre({0.0, 0.0, 1.0});
  const double scale = std::hypot(forward.x(), right.x());
  if (!(scale > 0.0)) return bad_input("a box lies too near to the camera to measure it");
  return BoxExtent{.x = {box.right - box.left, forward.x(), right.x(), up.x()},
                   .y = {box.bottom - box.top, forward.y(), right.y(), up.y()},
                   .pixels_per_metre = scale};
}

std::optional<VehicleSize> vehicle_size(std::span<const BoxExtent> boxes, VehicleKind kind,
                                        const SizeErrors& errors) {
  if (boxes.empty()) return std::nullopt;
  const TypicalVehicle usual = typical(kind);
  const Unknowns mean(usual.length, usual.width, 0.0, 1.0);
  const Unknowns sigma(usual.length_sigma, usual.width_sigma, errors.edge_m,
                       usual.height_sigma / usual.height);
  const Eigen::Matrix4d prior = sigma.array().pow(-2).matrix().asDiagonal();
  Sums sums;
  for (const BoxExtent& box : boxes)
    for_each_equation(box, usual, [&](const Unknowns& row, double side) {
      sums.squares += row * row.transpose();
      sums.products += row * side;
    });
  const double count = static_cast<double>(boxes.size());
  const double share = std::min(1.0, most_independent / count);
  // The noise of a side: first a guess, then what is left over.
  double variance = guessed_noise * guessed_noise;
  Unknowns best = mean;
  for (int round = 0; round < 3; ++round) {
    const double weight = share / variance;
    best = (weight * sums.squares + prior).ldlt().solve(weight * sums.products + prior * mean);
    double squares = 0.0;
    for (const BoxExtent& box : boxes)
      for_each_equation(box, usual, [&](const Unknowns& row, double side) {
        squares += std::pow(side - row.dot(best), 2);
      });
    // Two boxes' worth of the guess, so that a short track does not look exact.
    variance = std::max((squares + 4.0 * guessed_noise * guessed_noise) / (2.0 * count + 4.0),
                        least_noise * least_noise);
  }
  const Eigen::Matrix4d posterior = (share / variance * sums.squares + prior).inverse();
  const auto told = [&](int i) {
    const double scale = best(i) * errors.scale_share;
    return Estimate{best(i), sigmas_of_95 * std::sqrt(posterior(i, i) + scale * scale)};
  };
  return VehicleSize{told(0), told(1)};
}

}  // namespace shingle::drone
