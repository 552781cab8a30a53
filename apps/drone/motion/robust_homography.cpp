#include "apps/drone/motion/robust_homography.hpp"

#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

namespace shingle::drone {
namespace {

constexpr int most_trials = 2000;
constexpr double confidence = 0.9999;
constexpr double least_weight = 1e-3;  // of a corner; 0 is at infinity

std::vector<cv::Point2f> outline_of(cv::Size size) {
  const auto width = static_cast<float>(size.width), height = static_cast<float>(size.height);
  return {{0, 0}, {width, 0}, {width, height}, {0, height}};
}

bool is_plausible(const cv::Matx33d& matrix, cv::Size size, double most_area_ratio) {
  const auto outline = outline_after(matrix, size);
  if (!outline) return false;
  const double ratio = cv::contourArea(*outline) / size.area();
  return ratio < most_area_ratio && ratio > 1.0 / most_area_ratio;
}

double spread_of(const std::vector<cv::Point2f>& points, cv::Size size) {
  std::vector<cv::Point2f> hull;
  cv::convexHull(points, hull);
  return cv::contourArea(hull) / size.area();
}

}  // namespace

std::optional<RobustHomography> robust_homography(std::span<const PointMatch> matches,
                                                  cv::Size size, const AgreementLimits& limits) {
  if (matches.size() < std::max<size_t>(limits.least_points, 4)) return std::nullopt;
  std::vector<cv::Point2f> from, to;
  for (const PointMatch& match : matches) {
    from.push_back(match.from);
    to.push_back(match.to);
  }
  std::vector<unsigned char> agrees;
  const cv::Mat rough = cv::findHomography(from, to, cv::USAC_MAGSAC, limits.most_error, agrees,
                                           most_trials, confidence);
  if (rough.empty() || agrees.size() != matches.size()) return std::nullopt;
  std::vector<cv::Point2f> agreeing_from, agreeing_to;
  for (size_t i = 0; i < agrees.size(); ++i) {
    if (agrees[i] == 0) continue;
    agreeing_from.push_back(from[i]);
    agreeing_to.push_back(to[i]);
  }
  if (agreeing_from.size() < limits.least_points ||
      static_cast<double>(agreeing_from.size()) <
          limits.least_share * static_cast<double>(matches.size()) ||
      spread_of(agreeing_from, size) < limits.least_spread)
    return std::nullopt;
  const cv::Mat fine = cv::findHomography(agreeing_from, agreeing_to, 0);
  if (fine.empty()) return std::nullopt;
  RobustHomography found{
      .matrix = cv::Matx33d(fine), .points = matches.size(), .agreeing = agreeing_from.size()};
  if (!is_plausible(found.matrix, size, limits.most_area_ratio)) return std::nullopt;
  return found;
}

std::optional<std::vector<cv::Point2f>> outline_after(const cv::Matx33d& matrix, cv::Size size) {
  std::vector<cv::Point2f> moved;
  for (const cv::Point2f& corner : outline_of(size)) {
    const cv::Vec3d point = matrix * cv::Vec3d(corner.x, corner.y, 1.0);
    if (!(point[2] > least_weight)) return std::nullopt;
    moved.emplace_back(static_cast<float>(point[0] / point[2]),
                       static_cast<float>(point[1] / point[2]));
  }
  const bool is_turned_over =
      cv::contourArea(moved, true) * cv::contourArea(outline_of(size), true) <= 0.0;
  if (is_turned_over || !cv::isContourConvex(moved)) return std::nullopt;
  return moved;
}

double common_share(const cv::Matx33d& matrix, cv::Size size) {
  const auto outline = outline_after(matrix, size);
  if (!outline) return 0.0;
  std::vector<cv::Point2f> common;
  const double area = cv::intersectConvexConvex(*outline, outline_of(size), common);
  return area / size.area();
}

}  // namespace shingle::drone
