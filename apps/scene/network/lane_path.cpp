#include "apps/scene/network/lane_path.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle {
namespace {

constexpr double wanted_spacing = 0.5;

double distance(cv::Point2d a, cv::Point2d b) { return std::hypot(b.x - a.x, b.y - a.y); }

// The same line with a point every half metre or so.
LanePath evenly(const Outline& corners) {
  assert(corners.size() >= 2);
  std::vector<double> walked{0.0};
  for (size_t i = 1; i < corners.size(); ++i)
    walked.push_back(walked.back() + distance(corners[i - 1], corners[i]));
  assert(walked.back() > 0.0);
  const auto steps = std::max(1, static_cast<int>(std::lround(walked.back() / wanted_spacing)));
  LanePath path{.points = {}, .spacing = walked.back() / steps};
  size_t next = 1;
  for (int i = 0; i <= steps; ++i) {
    const double at = path.spacing * i;
    while (next + 1 < walked.size() && walked[next] < at) ++next;
    const double span = std::max(1e-9, walked[next] - walked[next - 1]);
    const double share = std::clamp((at - walked[next - 1]) / span, 0.0, 1.0);
    path.points.push_back(corners[next - 1] + (corners[next] - corners[next - 1]) * share);
  }
  return path;
}

// The direction in which the path leaves point i, or arrives at the last one: of length 1.
cv::Point2d tangent_at(const LanePath& path, size_t i) {
  const cv::Point2d before = path.points[i > 0 ? i - 1 : 0];
  const cv::Point2d after = path.points[std::min(i + 1, path.points.size() - 1)];
  return (after - before) / std::max(1e-9, distance(before, after));
}

}  // namespace

LanePath path_through(const Outline& corners) { return evenly(corners); }

LanePath path_between(const Pose& from, const Pose& to) {
  // Handles of 0.39 of the span make nearly a circle of a quarter turn.
  const double handle = 0.39 * distance(from.at, to.at);
  const cv::Point2d b = from.at + forward(from.heading) * handle;
  const cv::Point2d c = to.at - forward(to.heading) * handle;
  Outline fine;
  constexpr int steps = 400;
  for (int i = 0; i <= steps; ++i) {
    const double t = double(i) / steps, u = 1 - t;
    fine.push_back(from.at * (u * u * u) + b * (3 * u * u * t) + c * (3 * u * t * t) +
                   to.at * (t * t * t));
  }
  return evenly(fine);
}

LanePath arc_around(cv::Point2d centre, double radius, double begin, double end) {
  assert(begin < end);
  Outline fine;
  constexpr int steps = 600;
  for (int i = 0; i <= steps; ++i)
    fine.push_back(centre + forward(begin + (end - begin) * i / steps) * radius);
  return evenly(fine);
}

LanePath beside(const LanePath& path, double left) {
  Outline moved;
  for (size_t i = 0; i < path.points.size(); ++i) {
    const cv::Point2d along = tangent_at(path, i);
    moved.push_back(path.points[i] + cv::Point2d(-along.y, along.x) * left);
  }
  return evenly(moved);
}

LanePath reversed(const LanePath& path) {
  return {.points = {path.points.rbegin(), path.points.rend()}, .spacing = path.spacing};
}

LanePath part_of(const LanePath& path, double begin, double end) {
  begin = std::clamp(begin, 0.0, length_of(path)), end = std::clamp(end, 0.0, length_of(path));
  Outline kept{pose_on(path, begin).at};
  for (size_t i = 0; i < path.points.size(); ++i) {
    const double s = path.spacing * static_cast<double>(i);
    if (s > begin + 1e-6 && s < end - 1e-6) kept.push_back(path.points[i]);
  }
  kept.push_back(pose_on(path, end).at);
  return evenly(kept);
}

Pose pose_on(const LanePath& path, double s) {
  const double cells = std::max(s, 0.0) / path.spacing;
  const size_t i = std::min(static_cast<size_t>(cells), path.points.size() - 2);
  const double share = cells - static_cast<double>(i);
  const cv::Point2d tangent = tangent_at(path, i) * (1 - share) + tangent_at(path, i + 1) * share;
  return {path.points[i] + (path.points[i + 1] - path.points[i]) * share,
          std::atan2(tangent.y, tangent.x)};
}

double least_radius(const LanePath& path) {
  double sharpest = 1e-6;  // radians a metre
  for (size_t i = 0; i + 4 < path.points.size(); ++i) {
    const cv::Point2d a = tangent_at(path, i + 1), b = tangent_at(path, i + 3);
    const double turn = std::abs(std::atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y));
    sharpest = std::max(sharpest, turn / (2 * path.spacing));
  }
  return 1.0 / sharpest;
}

double least_distance(const LanePath& a, const LanePath& b) {
  double least = 1e9;
  for (const cv::Point2d& p : a.points)
    for (const cv::Point2d& q : b.points) least = std::min(least, distance(p, q));
  return least;
}

Outline band_along(const LanePath& path, double right, double left) {
  Outline there, back;
  for (size_t i = 0; i < path.points.size(); ++i) {
    const cv::Point2d along = tangent_at(path, i), across{-along.y, along.x};
    there.push_back(path.points[i] + across * right);
    back.push_back(path.points[i] + across * left);
  }
  there.insert(there.end(), back.rbegin(), back.rend());
  return there;
}

}  // namespace shingle
