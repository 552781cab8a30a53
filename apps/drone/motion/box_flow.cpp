#include "apps/drone/motion/box_flow.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "apps/drone/motion/point_matches.hpp"

namespace shingle::drone {
namespace {

constexpr double inner_part = 0.8;  // of a box's sides
constexpr int most_points = 40;     // of a box
constexpr double quality = 0.05;    // of its best corner
constexpr double agreeing_pixels = 2.0;

std::vector<cv::Point2f> corners_in(const cv::Mat& grey, const PixelBox& box) {
  const double across = box.w * (1.0 - inner_part) / 2.0, along = box.h * (1.0 - inner_part) / 2.0;
  const cv::Rect area = cv::Rect(cvFloor(box.x + across), cvFloor(box.y + along),
                                 cvCeil(box.w * inner_part), cvCeil(box.h * inner_part)) &
                        cv::Rect({0, 0}, grey.size());
  if (area.width < 3 || area.height < 3) return {};
  std::vector<cv::Point2f> corners;
  cv::goodFeaturesToTrack(grey(area), corners, most_points, quality, 2.0);
  for (cv::Point2f& corner : corners) corner += cv::Point2f(area.tl());
  return corners;
}

float median_of(std::vector<float> values) {
  assert(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

cv::Point2f median_point(std::span<const PointMatch> matches, cv::Point2f PointMatch::*which) {
  std::vector<float> across, along;
  for (const PointMatch& match : matches) {
    across.push_back((match.*which).x);
    along.push_back((match.*which).y);
  }
  return {median_of(across), median_of(along)};
}

// How much farther apart the points are than before: the median over pairs of points.
double median_scale(std::span<const PointMatch> matches) {
  std::vector<float> ratios;
  for (size_t i = 0; i < matches.size(); ++i)
    for (size_t j = i + 1; j < matches.size(); ++j) {
      const double before = cv::norm(matches[i].from - matches[j].from);
      const double now = cv::norm(matches[i].to - matches[j].to);
      if (before > 4.0) ratios.push_back(static_cast<float>(now / before));
    }
  return ratios.empty() ? 1.0 : std::clamp<double>(median_of(ratios), 0.8, 1.25);
}

FollowedBox followed(const PixelBox& box, std::span<const PointMatch> matches, size_t asked) {
  FollowedBox result{.box = box, .points = matches.size()};
  if (matches.empty()) return result;
  const cv::Point2f from = median_point(matches, &PointMatch::from);
  const cv::Point2f to = median_point(matches, &PointMatch::to);
  const double scale = median_scale(matches);
  size_t agreeing = 0;
  for (const PointMatch& match : matches) {
    const cv::Point2f expected = to + static_cast<float>(scale) * (match.from - from);
    agreeing += cv::norm(match.to - expected) <= agreeing_pixels ? 1 : 0;
  }
  result.agreement = static_cast<double>(agreeing) / static_cast<double>(asked);
  const double middle_x = to.x + scale * (box.x + box.w / 2.0 - from.x);
  const double middle_y = to.y + scale * (box.y + box.h / 2.0 - from.y);
  const double width = box.w * scale, height = box.h * scale;
  result.box = {middle_x - width / 2.0, middle_y - height / 2.0, width, height};
  return result;
}

}  // namespace

std::vector<FollowedBox> follow_boxes(const cv::Mat& before, const cv::Mat& now,
                                      std::span<const PixelBox> boxes) {
  assert(before.size() == now.size());
  std::vector<FollowedBox> result;
  if (boxes.empty()) return result;
  const cv::Mat grey = as_grey(before);
  const auto from = flow_pyramid(grey), to = flow_pyramid(as_grey(now));
  for (const PixelBox& box : boxes) {
    const std::vector<cv::Point2f> corners = corners_in(grey, box);
    result.push_back(followed(box, matches_by_flow(from, to, corners), corners.size()));
  }
  return result;
}

}  // namespace shingle::drone
