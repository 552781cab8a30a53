#include "apps/findings/turned_box.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace shingle {
namespace {

// Of points that fill the rectangle evenly: [xx, xy; xy, yy].
struct Covariance {
  double xx = 0.0, yy = 0.0, xy = 0.0;
  double determinant() const { return xx * yy - xy * xy; }
};

Covariance covariance_of(const TurnedBox& box) {
  const double along = double{box.w} * double{box.w} / 12.0;
  const double across = double{box.h} * double{box.h} / 12.0;
  const double cos = std::cos(double{box.angle}), sin = std::sin(double{box.angle});
  return {along * cos * cos + across * sin * sin, along * sin * sin + across * cos * cos,
          (along - across) * cos * sin};
}

constexpr double tiny = 1e-9;  // of a box without area nothing is divided by 0

}  // namespace

TurnedBox regular(TurnedBox box) {
  constexpr double pi = std::numbers::pi;
  double angle = double{box.angle};
  if (box.h > box.w) {
    std::swap(box.w, box.h);
    angle += pi / 2;
  }
  angle = std::fmod(angle, pi);
  if (angle < 0.0) angle += pi;
  box.angle = static_cast<float>(angle);
  if (!(box.angle < static_cast<float>(pi))) box.angle = 0.0F;  // pi itself, after rounding
  return box;
}

std::array<PixelPoint, 4> corners_of(const TurnedBox& box) {
  const double cos = std::cos(double{box.angle}), sin = std::sin(double{box.angle});
  const double half_w = double{box.w} / 2, half_h = double{box.h} / 2;
  const PixelPoint along{cos * half_w, sin * half_w}, across{-sin * half_h, cos * half_h};
  const auto corner = [&](double ahead, double aside) {
    return PixelPoint{double{box.x} + ahead * along.x + aside * across.x,
                      double{box.y} + ahead * along.y + aside * across.y};
  };
  return {corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)};
}

// From the Bhattacharyya distance of the two Gaussians by the Hellinger distance.
float probabilistic_overlap(const TurnedBox& a, const TurnedBox& b) {
  const Covariance of_a = covariance_of(a), of_b = covariance_of(b);
  const Covariance sum{of_a.xx + of_b.xx, of_a.yy + of_b.yy, of_a.xy + of_b.xy};
  const double x = double{a.x} - double{b.x}, y = double{a.y} - double{b.y};
  const double determinant = sum.determinant() + tiny;
  const double apart = (sum.xx * y * y + sum.yy * x * x - 2.0 * sum.xy * x * y) / determinant / 4.0;
  const double spreads =
      std::sqrt(std::max(of_a.determinant(), 0.0)) * std::sqrt(std::max(of_b.determinant(), 0.0));
  const double unlike = std::log(determinant / (4.0 * spreads + tiny)) / 2.0;
  const double distance = std::max(apart + unlike, 0.0);
  return static_cast<float>(1.0 - std::sqrt(1.0 - std::exp(-distance)));
}

TurnedBox in_picture(const TurnedBox& box, const Placement& placement) {
  if (!(box.w > 0.0F && box.h > 0.0F)) {  // two negative sides would become a box
    TurnedBox none = box;
    none.w = none.h = 0.0F;
    return none;
  }
  const TurnedBox from = regular(box);
  const double cos = std::cos(double{from.angle}), sin = std::sin(double{from.angle});
  const double along_x = double{from.w} * cos / placement.scale_x;
  const double along_y = double{from.w} * sin / placement.scale_y;
  const double length = std::hypot(along_x, along_y);
  const double area = double{from.w} * double{from.h} / placement.scale_x / placement.scale_y;
  TurnedBox to = from;
  to.x = static_cast<float>((double{from.x} - placement.left) / placement.scale_x);
  to.y = static_cast<float>((double{from.y} - placement.top) / placement.scale_y);
  to.w = static_cast<float>(length);
  to.h = length > 0.0 ? static_cast<float>(area / length) : 0.0F;
  to.angle = static_cast<float>(std::atan2(along_y, along_x));
  return regular(to);
}

}  // namespace shingle
