#include "apps/heads/smallest_rectangle.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle {
namespace {

constexpr double same_area = 1e-12;  // relative; products of integers differ by less in rounding

struct Way {
  int64_t x = 0, y = 0;
};
Way operator-(const GridPoint& to, const GridPoint& from) {
  return {int64_t{to.x} - from.x, int64_t{to.y} - from.y};
}
int64_t dot(Way a, Way b) { return a.x * b.x + a.y * b.y; }
// Positive where b turns clockwise from a, as seen.
int64_t cross(Way a, Way b) { return a.x * b.y - a.y * b.x; }

// Adds the corners of one half of the hull.
template <class Iterator>
void add_half(std::vector<GridPoint>& hull, Iterator begin, Iterator end) {
  const size_t fixed = hull.size() + 1;
  for (Iterator at = begin; at != end; ++at) {
    const auto bends = [&] {
      const GridPoint &last = hull.back(), &before = hull[hull.size() - 2];
      return cross(last - before, *at - last) > 0;
    };
    while (hull.size() > fixed && !bends()) hull.pop_back();
    hull.push_back(*at);
  }
  hull.pop_back();  // the other half begins with it
}

// The hull as seen along one of its sides, in units of the side's length.
struct Extent {
  int64_t begin = 0, end = 0;  // along the side, from its first corner
  int64_t depth = 0;           // across
};
Extent extent_along(Way side, const GridPoint& corner, const std::vector<GridPoint>& hull) {
  Extent extent;
  for (const GridPoint& point : hull) {
    const int64_t along = dot(side, point - corner);
    extent.begin = std::min(extent.begin, along);
    extent.end = std::max(extent.end, along);
    extent.depth = std::max(extent.depth, cross(side, point - corner));
  }
  return extent;
}

EncasingRectangle rectangle_on(Way side, const GridPoint& corner, const Extent& extent) {
  const auto square = static_cast<double>(dot(side, side));
  const double length = std::sqrt(square);
  const double along = static_cast<double>(extent.begin + extent.end) / (2.0 * square);
  const double across = static_cast<double>(extent.depth) / (2.0 * square);
  const auto x = static_cast<double>(side.x), y = static_cast<double>(side.y);
  return {.x = corner.x + x * along - y * across,
          .y = corner.y + y * along + x * across,
          .w = static_cast<double>(extent.end - extent.begin) / length,
          .h = static_cast<double>(extent.depth) / length,
          .angle = std::atan2(y, x)};
}

}  // namespace

std::vector<GridPoint> convex_hull(std::vector<GridPoint> points) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  std::vector<GridPoint> hull;
  add_half(hull, points.begin(), points.end());
  add_half(hull, points.rbegin(), points.rend());
  return hull;
}

EncasingRectangle smallest_rectangle(const std::vector<GridPoint>& points) {
  assert(!points.empty());
  const std::vector<GridPoint> hull = convex_hull(points);
  EncasingRectangle best{.x = static_cast<double>(hull[0].x), .y = static_cast<double>(hull[0].y)};
  double best_area = 0.0;
  for (size_t i = 0; i < hull.size() && hull.size() > 1; ++i) {
    const Way side = hull[(i + 1) % hull.size()] - hull[i];
    const Extent extent = extent_along(side, hull[i], hull);
    const EncasingRectangle found = rectangle_on(side, hull[i], extent);
    const double area = found.w * found.h;
    if (i > 0 && !(area < best_area * (1.0 - same_area))) continue;
    best = found;
    best_area = area;
  }
  return best;
}

}  // namespace shingle
