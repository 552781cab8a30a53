#include "apps/drone/ground/homography.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <cassert>
#include <cmath>
#include <string>

namespace shingle::drone {
namespace {

// Moves the mean to 0 and scales the mean distance to sqrt(2); without this the equations are badly
// conditioned.
Eigen::Matrix3d normaliser(std::span<const PointPair> pairs, Eigen::Vector2d PointPair::*side) {
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  for (const PointPair& pair : pairs) mean += pair.*side;
  mean /= static_cast<double>(pairs.size());
  double spread = 0.0;
  for (const PointPair& pair : pairs) spread += (pair.*side - mean).norm();
  spread /= static_cast<double>(pairs.size());
  const double scale = spread > 0.0 ? std::sqrt(2.0) / spread : 1.0;
  Eigen::Matrix3d matrix;
  matrix << scale, 0, -scale * mean.x(), 0, scale, -scale * mean.y(), 0, 0, 1;
  return matrix;
}

Eigen::MatrixXd equations(std::span<const PointPair> pairs, const Eigen::Matrix3d& of_source,
                          const Eigen::Matrix3d& of_target) {
  Eigen::MatrixXd rows(2 * pairs.size(), 9);
  Eigen::Index row = 0;
  for (const PointPair& pair : pairs) {
    const Eigen::Vector2d s = mapped(of_source, pair.source), t = mapped(of_target, pair.target);
    rows.row(row++) << s.x(), s.y(), 1, 0, 0, 0, -t.x() * s.x(), -t.x() * s.y(), -t.x();
    rows.row(row++) << 0, 0, 0, s.x(), s.y(), 1, -t.y() * s.x(), -t.y() * s.y(), -t.y();
  }
  return rows;
}

}  // namespace

Result<FittedHomography> fit_homography(std::span<const PointPair> pairs) {
  if (pairs.size() < 4)
    return bad_input("a picture needs at least four ground points, and has " +
                     std::to_string(pairs.size()) + "; give more");
  for (const PointPair& pair : pairs)
    if (!pair.source.allFinite() || !pair.target.allFinite())
      return bad_input("a ground point has a coordinate that is no number");
  const auto of_source = normaliser(pairs, &PointPair::source);
  const auto of_target = normaliser(pairs, &PointPair::target);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(equations(pairs, of_source, of_target),
                                              Eigen::ComputeFullV);
  // Eight independent equations are needed. Points on a line leave fewer.
  const double rank_ratio = svd.singularValues()(7) / svd.singularValues()(0);
  const Eigen::Matrix3d inner = svd.matrixV().col(8).reshaped<Eigen::RowMajor>(3, 3);
  if (rank_ratio < 1e-4 || std::abs(inner.determinant()) < 1e-9)
    return bad_input("the ground points lie on a line, or three of four do; spread them out");
  FittedHomography fitted;
  fitted.matrix = of_target.inverse() * inner * of_source;
  if (fitted.matrix(2, 2) != 0.0) fitted.matrix /= fitted.matrix(2, 2);
  double squares = 0.0;
  for (const PointPair& pair : pairs) {
    fitted.residuals.push_back((mapped(fitted.matrix, pair.source) - pair.target).norm());
    squares += fitted.residuals.back() * fitted.residuals.back();
  }
  fitted.rms = std::sqrt(squares / static_cast<double>(pairs.size()));
  return fitted;
}

Eigen::Vector2d mapped(const Eigen::Matrix3d& homography, const Eigen::Vector2d& point) {
  const Eigen::Vector3d image = homography * Eigen::Vector3d(point.x(), point.y(), 1.0);
  return image.head<2>() / image.z();
}

}  // namespace shingle::drone
