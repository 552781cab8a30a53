#include "apps/scene/prism.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle {
namespace {

constexpr double sun_share = 0.3;  // how much lighter a side that faces the sun is

double turn_of(const Outline& points) {
  double twice_area = 0.0;
  for (size_t i = 0; i < points.size(); ++i) {
    const cv::Point2d a = points[i], b = points[(i + 1) % points.size()];
    twice_area += a.x * b.y - a.y * b.x;
  }
  return twice_area;
}

cv::Point2d middle_of(const Outline& outline) {
  cv::Point2d sum{};
  for (const cv::Point2d& point : outline) sum += point;
  return sum / static_cast<double>(outline.size());
}

// The light on the side between two corners of a body around `middle`.
double facing(cv::Point2d a, cv::Point2d b, cv::Point2d middle, cv::Point2d to_sun) {
  const cv::Point2d along = b - a;
  cv::Point2d normal{-along.y, along.x};
  normal /= std::max(1e-9, std::hypot(normal.x, normal.y));
  if (normal.dot((a + b) / 2 - middle) < 0) normal = -normal;
  return 1.0 + sun_share * normal.dot(to_sun);
}

}  // namespace

void draw_sides(cv::Mat& image, const SceneView& view, const Prism& prism, const SideLook& look) {
  assert(prism.low.size() == prism.high.size());
  const Outline bottom = pixels(view, prism.low, prism.z_low);
  const Outline top = pixels(view, prism.high, prism.z_high);
  Outline both = bottom;
  both.insert(both.end(), top.begin(), top.end());
  fill(image, hull(both), shaded(look.colour, look.light));
  const double from_above = turn_of(top);
  const cv::Point2d middle = middle_of(prism.low);
  for (size_t i = 0; i < bottom.size(); ++i) {
    const size_t j = (i + 1) % bottom.size();
    const Outline side{bottom[i], bottom[j], top[j], top[i]};
    if (turn_of(side) * from_above <= 0) continue;  // it faces away
    const double light = facing(prism.low[i], prism.low[j], middle, look.to_sun);
    fill(image, side, shaded(look.colour, look.light * light));
  }
}

Outline silhouette(const SceneView& view, const Prism& prism) {
  Outline all = pixels(view, prism.low, prism.z_low);
  const Outline top = pixels(view, prism.high, prism.z_high);
  all.insert(all.end(), top.begin(), top.end());
  return hull(all);
}

}  // namespace shingle
