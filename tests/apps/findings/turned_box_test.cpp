// Turned boxes: their overlap against Gaussians as matrices, their way back to the picture.
#include "apps/findings/turned_box.hpp"

#include <doctest/doctest.h>

#include <numbers>

#include "tests/networks/networks.hpp"

using namespace shingle;

namespace {

constexpr double pi = std::numbers::pi;

using Matrix = std::array<std::array<double, 2>, 2>;

double determinant(const Matrix& m) { return m[0][0] * m[1][1] - m[0][1] * m[1][0]; }

// R * diag(w^2, h^2) / 12 * R'
Matrix spread_of(const TurnedBox& box) {
  const double c = std::cos(double{box.angle}), s = std::sin(double{box.angle});
  const Matrix turn{{{c, -s}, {s, c}}};
  const double variances[2] = {double{box.w} * double{box.w} / 12,
                               double{box.h} * double{box.h} / 12};
  Matrix spread{};
  for (size_t i = 0; i < 2; ++i)
    for (size_t j = 0; j < 2; ++j)
      for (size_t k = 0; k < 2; ++k) spread[i][j] += turn[i][k] * variances[k] * turn[j][k];
  return spread;
}

// 1 - Hellinger distance, by the inverse of the mean covariance.
double slow_overlap(const TurnedBox& a, const TurnedBox& b) {
  const Matrix of_a = spread_of(a), of_b = spread_of(b);
  Matrix mean{};
  for (size_t i = 0; i < 2; ++i)
    for (size_t j = 0; j < 2; ++j) mean[i][j] = (of_a[i][j] + of_b[i][j]) / 2;
  const double d = determinant(mean);
  const Matrix inverse{{{mean[1][1] / d, -mean[0][1] / d}, {-mean[1][0] / d, mean[0][0] / d}}};
  const double apart[2] = {double{a.x} - double{b.x}, double{a.y} - double{b.y}};
  double distance = 0;
  for (size_t i = 0; i < 2; ++i)
    for (size_t j = 0; j < 2; ++j) distance += apart[i] * inverse[i][j] * apart[j] / 8;
  distance += std::log(d / std::sqrt(determinant(of_a) * determinant(of_b))) / 2;
  return 1 - std::sqrt(1 - std::exp(-distance));
}

TurnedBox random_box(networks::Random& random) {
  return {0,
          1,
          random.uniform(0, 50),
          random.uniform(0, 50),
          random.uniform(5, 60),
          random.uniform(5, 60),
          random.uniform(-4, 4)};
}

double distance(const PixelPoint& a, const PixelPoint& b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

PixelPoint in_picture(const PixelPoint& of_input, const Placement& placement) {
  return {(of_input.x - placement.left) / placement.scale_x,
          (of_input.y - placement.top) / placement.scale_y};
}

}  // namespace

TEST_CASE("the overlap of turned boxes is that of their Gaussians") {
  networks::Random random(3);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const TurnedBox a = random_box(random), b = random_box(random);
    CHECK(double{probabilistic_overlap(a, b)} == doctest::Approx(slow_overlap(a, b)).epsilon(1e-4));
    CHECK(probabilistic_overlap(a, b) == doctest::Approx(double{probabilistic_overlap(b, a)}));
    CHECK(probabilistic_overlap(a, a) > 0.999F);
    TurnedBox far = a;
    far.x += 1e6F;
    CHECK(probabilistic_overlap(a, far) < 1e-6F);
  }
}

TEST_CASE("boxes without area or of infinite size overlap nothing by more than anything") {
  const TurnedBox flat{0, 1, 5, 5, 10, 0, 0}, box{0, 1, 5, 5, 10, 10, 0};
  CHECK_FALSE(probabilistic_overlap(flat, box) > 0.5F);
  for (const float bad : {NAN, INFINITY, -INFINITY, 3e38F}) {
    TurnedBox other = box;
    other.x = bad;
    CHECK_FALSE(probabilistic_overlap(other, box) > 0.5F);
  }
}

TEST_CASE("a regular box is the same rectangle, its longer side first") {
  networks::Random random(4);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const TurnedBox box = random_box(random), same = regular(box);
    CHECK(same.w >= same.h);
    CHECK(same.angle >= 0.0F);
    CHECK(double{same.angle} < pi);
    for (const PixelPoint& corner : corners_of(box)) {
      double nearest = 1e9;
      for (const PixelPoint& other : corners_of(same))
        nearest = std::min(nearest, distance(corner, other));
      CHECK(nearest < 1e-3);
    }
  }
}

TEST_CASE("in a picture of the same shape corners go where points go") {
  networks::Random random(5);
  const Shape input{64, 96, 3};
  const PixelSize picture{300, 250};
  for (const Fit fit : {Fit::centred, Fit::letterbox}) {
    const Placement placement = place(fit, picture, input);
    for (int round = 0; round < 50; ++round) {
      const TurnedBox box = random_box(random);
      const auto found = corners_of(in_picture(box, placement));
      for (const PixelPoint& corner : corners_of(box)) {
        const PixelPoint moved = in_picture(corner, placement);
        double nearest = 1e9;
        for (const PixelPoint& other : found) nearest = std::min(nearest, distance(moved, other));
        CHECK(nearest < 1e-2);
      }
    }
  }
}

TEST_CASE("a stretched box keeps its middle, its area and its longer side") {
  networks::Random random(6);
  const Placement placement = place(Fit::stretch, {200, 50}, {64, 96, 3});
  for (int round = 0; round < 50; ++round) {
    const TurnedBox box = regular(random_box(random)), found = in_picture(box, placement);
    const auto corners = corners_of(box);
    const PixelPoint from = in_picture(corners[0], placement);
    const PixelPoint along = in_picture(corners[1], placement);
    const PixelPoint across = in_picture(corners[3], placement);
    const double area = std::abs((along.x - from.x) * (across.y - from.y) -
                                 (along.y - from.y) * (across.x - from.x));
    CHECK(double{found.w} * double{found.h} == doctest::Approx(area).epsilon(1e-3));
    const PixelPoint middle = in_picture(PixelPoint{double{box.x}, double{box.y}}, placement);
    CHECK(double{found.x} == doctest::Approx(middle.x).epsilon(1e-4));
    CHECK(double{found.y} == doctest::Approx(middle.y).epsilon(1e-4));
  }
}
