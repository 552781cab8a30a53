#include "apps/drone/count/geometry.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle::drone {
namespace {

PlaneSegment side(std::span<const PlanePoint> polygon, size_t index) {
  return {polygon[index], polygon[(index + 1) % polygon.size()]};
}

bool between(double value, double a, double b) {
  return value >= std::min(a, b) && value <= std::max(a, b);
}

// REQUIRES: the three points are on a line.
bool lies_on(const PlaneSegment& segment, PlanePoint point) {
  return between(point.x, segment.begin.x, segment.end.x) &&
         between(point.y, segment.begin.y, segment.end.y);
}

bool touches(const PlaneSegment& a, const PlaneSegment& b) {
  const PlanePoint along_a = a.end - a.begin, along_b = b.end - b.begin;
  const double a0 = cross(along_b, a.begin - b.begin), a1 = cross(along_b, a.end - b.begin);
  const double b0 = cross(along_a, b.begin - a.begin), b1 = cross(along_a, b.end - a.begin);
  if (a0 * a1 < 0.0 && b0 * b1 < 0.0) return true;
  return (a0 == 0.0 && lies_on(b, a.begin)) || (a1 == 0.0 && lies_on(b, a.end)) ||
         (b0 == 0.0 && lies_on(a, b.begin)) || (b1 == 0.0 && lies_on(a, b.end));
}

// The second side of two neighbours leads back along the first one.
bool doubles_back(const PlaneSegment& first, const PlaneSegment& second) {
  const PlanePoint a = first.end - first.begin, b = second.end - second.begin;
  return cross(a, b) == 0.0 && dot(a, b) <= 0.0;
}

}  // namespace

double length_of(PlanePoint vector) { return std::hypot(vector.x, vector.y); }

double signed_distance(const PlaneSegment& line, PlanePoint point) {
  const PlanePoint along = line.end - line.begin;
  const double length = length_of(along);
  assert(length > 0.0);
  return cross(along, point - line.begin) / length;
}

std::optional<double> meeting(const PlaneSegment& path, const PlaneSegment& other) {
  const PlanePoint step = path.end - path.begin, along = other.end - other.begin;
  const double turn = cross(step, along);
  if (turn == 0.0) return std::nullopt;
  const PlanePoint apart = other.begin - path.begin;
  const double share = cross(apart, along) / turn, place = cross(apart, step) / turn;
  if (share < 0.0 || share > 1.0 || place < 0.0 || place > 1.0) return std::nullopt;
  return share;
}

bool contains(std::span<const PlanePoint> polygon, PlanePoint point) {
  bool inside = false;
  for (size_t index = 0; index < polygon.size(); ++index) {
    const auto [a, b] = side(polygon, index);
    if ((a.y > point.y) == (b.y > point.y)) continue;
    if (point.x < a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x)) inside = !inside;
  }
  return inside;
}

std::optional<SidePair> self_crossing(std::span<const PlanePoint> polygon) {
  const size_t count = polygon.size();
  for (size_t first = 0; first < count; ++first) {
    for (size_t second = first + 1; second < count; ++second) {
      const PlaneSegment a = side(polygon, first), b = side(polygon, second);
      const bool follows = second == first + 1, precedes = first == 0 && second + 1 == count;
      if (follows && doubles_back(a, b)) return SidePair{first, second};
      if (precedes && doubles_back(b, a)) return SidePair{first, second};
      if (!follows && !precedes && touches(a, b)) return SidePair{first, second};
    }
  }
  return std::nullopt;
}

double area_of(std::span<const PlanePoint> polygon) {
  double twice = 0.0;
  for (size_t index = 0; index < polygon.size(); ++index) {
    const auto [a, b] = side(polygon, index);
    twice += cross(a, b);
  }
  return twice / 2.0;
}

}  // namespace shingle::drone
