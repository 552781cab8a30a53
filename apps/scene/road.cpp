#include "apps/scene/road.hpp"

#include <algorithm>
#include <cmath>

namespace shingle {
namespace {

constexpr int fine_steps = 4000;

cv::Point2d bezier(cv::Point2d a, cv::Point2d b, cv::Point2d c, double t) {
  return a * ((1 - t) * (1 - t)) + b * (2 * t * (1 - t)) + c * (t * t);
}

}  // namespace

Outline bent_axis(cv::Point2d from, cv::Point2d to, double bow) {
  const cv::Point2d along = to - from;
  const double span = std::hypot(along.x, along.y);
  const cv::Point2d across{-along.y / span, along.x / span};
  const cv::Point2d middle = (from + to) / 2 + across * (2 * bow);
  Outline axis{from};
  cv::Point2d last = from;
  double walked = 0.0;
  for (int i = 1; i <= fine_steps; ++i) {
    const cv::Point2d next = bezier(from, middle, to, double(i) / fine_steps);
    walked += std::hypot(next.x - last.x, next.y - last.y);
    last = next;
    if (walked >= static_cast<double>(axis.size())) axis.push_back(next);
  }
  return axis;
}

double length_of(const Road& road) { return static_cast<double>(road.axis.size() - 1); }

double half_width(const Road& road) {
  return road.median / 2 + road.lanes * road.lane_width + road.shoulder;
}

double kerb(const Road& road, bool right) {
  return half_width(road) + (right ? road.parking_right : road.parking_left);
}

double lane_offset(const Road& road, int lane, bool forward_lane) {
  const double d = road.median / 2 + (lane + 0.5) * road.lane_width;
  return forward_lane ? d : -d;
}

Pose pose_at(const Road& road, double s, double d) {
  const size_t i = std::min(static_cast<size_t>(std::max(s, 0.0)), road.axis.size() - 2);
  const cv::Point2d along = road.axis[i + 1] - road.axis[i];
  const cv::Point2d at = road.axis[i] + along * (s - static_cast<double>(i));
  // The heading turns evenly from point to point, so that vehicles do not jerk.
  const cv::Point2d before = i > 0 ? road.axis[i] - road.axis[i - 1] : along;
  const double share = s - static_cast<double>(i);
  const cv::Point2d tangent = before * (1 - share) + along * share;
  const double span = std::hypot(tangent.x, tangent.y);
  return {at + cv::Point2d(-tangent.y, tangent.x) * (d / span), std::atan2(tangent.y, tangent.x)};
}

Pose lane_pose(const Road& road, double s, int lane, bool forward_lane) {
  Pose pose = pose_at(road, s, lane_offset(road, lane, forward_lane));
  if (!forward_lane) pose.heading += CV_PI;
  return pose;
}

Outline strip(const Road& road, double s0, double s1, double d0, double d1) {
  s0 = std::clamp(s0, 0.0, length_of(road)), s1 = std::clamp(s1, 0.0, length_of(road));
  const int steps = std::max(1, static_cast<int>(std::ceil((s1 - s0) / 2.0)));
  Outline there, back;
  for (int i = 0; i <= steps; ++i) {
    const double s = s0 + (s1 - s0) * i / steps;
    there.push_back(pose_at(road, s, d0).at);
    back.push_back(pose_at(road, s, d1).at);
  }
  there.insert(there.end(), back.rbegin(), back.rend());
  return there;
}

bool on_road(const Road& road, cv::Point2d point, double margin) {
  const double reach = std::max(kerb(road, false), kerb(road, true)) + margin;
  return std::any_of(road.axis.begin(), road.axis.end(), [&](cv::Point2d axis) {
    return std::hypot(axis.x - point.x, axis.y - point.y) < reach;
  });
}

}  // namespace shingle
