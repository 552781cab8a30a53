#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "apps/drone/count/conflicts.hpp"

namespace shingle::drone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

PlanePoint turned_left(PlanePoint vector) { return {-vector.y, vector.x}; }

// Half of the rectangle's shadow on the axis.
double half_shadow(const MovingRectangle& rectangle, PlanePoint axis) {
  return (rectangle.extent.length * std::abs(dot(rectangle.facing, axis)) +
          rectangle.extent.width * std::abs(dot(turned_left(rectangle.facing), axis))) /
         2.0;
}

struct TimeSpan {
  double begin = 0.0, end = infinity;
};

// When the shadows on the axis overlap. Empty spans have their end before their begin.
TimeSpan shadows_overlap(const MovingRectangle& a, const MovingRectangle& b, PlanePoint axis) {
  const double reach = half_shadow(a, axis) + half_shadow(b, axis);
  const double apart = dot(b.centre - a.centre, axis), speed = dot(b.velocity - a.velocity, axis);
  if (speed == 0.0)
    return std::abs(apart) <= reach ? TimeSpan{-infinity, infinity} : TimeSpan{infinity, -infinity};
  const double one = (-reach - apart) / speed, two = (reach - apart) / speed;
  return {std::min(one, two), std::max(one, two)};
}

struct Instant {
  const Path* path = nullptr;
  const PathPoint* point = nullptr;
  MovingRectangle rectangle() const {
    return {point->at, *point->facing, *point->velocity, *path->extent};
  }
};

std::map<uint32_t, std::vector<Instant>> by_frame(std::span<const Path> paths) {
  std::map<uint32_t, std::vector<Instant>> frames;
  for (const Path& path : paths) {
    if (!path.extent) continue;
    for (const PathPoint& point : path.points)
      if (point.velocity && point.facing) frames[point.frame].push_back({&path, &point});
  }
  for (auto& [frame, instants] : frames)
    std::sort(instants.begin(), instants.end(),
              [](const Instant& a, const Instant& b) { return a.path->track < b.path->track; });
  return frames;
}

// Leaves out pairs that are too far apart: both vehicles cannot meet within `seconds`.
bool may_touch(const MovingRectangle& a, const MovingRectangle& b, double seconds) {
  const double reach = (a.extent.length + a.extent.width + b.extent.length + b.extent.width) / 2.0;
  return length_of(b.centre - a.centre) <= reach + seconds * length_of(b.velocity - a.velocity);
}

struct Course {
  CollisionCourse course{};
  uint32_t last_frame = 0;
  size_t frames = 0;
};

}  // namespace

std::optional<double> time_to_collision(const MovingRectangle& a, const MovingRectangle& b) {
  TimeSpan common;
  for (const PlanePoint axis : {a.facing, turned_left(a.facing), b.facing, turned_left(b.facing)}) {
    const TimeSpan span = shadows_overlap(a, b, axis);
    common = {std::max(common.begin, span.begin), std::min(common.end, span.end)};
  }
  if (common.begin > common.end) return std::nullopt;
  return common.begin;
}

std::vector<CollisionCourse> collision_courses(std::span<const Path> paths,
                                               const CountLimits& limits) {
  std::vector<CollisionCourse> found;
  std::map<std::pair<int64_t, int64_t>, Course> open;
  const auto close = [&](const Course& course) {
    if (course.frames >= limits.hold_frames) found.push_back(course.course);
  };
  uint32_t frame_before = 0;
  for (const auto& [frame, instants] : by_frame(paths)) {
    for (size_t one = 0; one < instants.size(); ++one) {
      for (size_t two = one + 1; two < instants.size(); ++two) {
        const MovingRectangle a = instants[one].rectangle(), b = instants[two].rectangle();
        if (!may_touch(a, b, limits.collision_seconds)) continue;
        const auto time = time_to_collision(a, b);
        if (!time || *time <= 0.0 || *time > limits.collision_seconds) continue;
        const double now = instants[one].point->seconds;
        const std::pair tracks(instants[one].path->track, instants[two].path->track);
        Course& course = open[tracks];
        if (course.frames > 0 && course.last_frame != frame_before) close(course), course = {};
        if (course.frames == 0 || *time < course.course.least_seconds) {
          course.course.least_seconds = *time;
          course.course.at_seconds = now;
        }
        if (course.frames == 0) course.course.begin_seconds = now;
        std::tie(course.course.track, course.course.other) = tracks;
        course.course.end_seconds = now;
        course.last_frame = frame;
        ++course.frames;
      }
    }
    frame_before = frame;
  }
  for (const auto& [tracks, course] : open) close(course);
  std::sort(found.begin(), found.end(), [](const CollisionCourse& a, const CollisionCourse& b) {
    return std::tie(a.begin_seconds, a.track, a.other) <
           std::tie(b.begin_seconds, b.track, b.other);
  });
  return found;
}

}  // namespace shingle::drone
