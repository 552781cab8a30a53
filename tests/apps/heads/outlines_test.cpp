// Outlines and rectangles around them against OpenCV's findContours and minAreaRect.
#include "apps/heads/outlines.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>

#include "apps/heads/smallest_rectangle.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;

namespace {

constexpr double pi = std::numbers::pi;

cv::Mat noise(networks::Random& random, cv::Size size) {
  cv::Mat map(size, CV_8U);
  const double share = random.between(0, 100) / 100.0;
  for (uchar& pixel : cv::Mat_<uchar>(map)) pixel = random.chance(share) ? 255 : 0;
  return map;
}

// Turned rectangles, some of them holes, and rings.
cv::Mat figures(networks::Random& random, cv::Size size) {
  cv::Mat map(size, CV_8U, cv::Scalar(0));
  const auto place = [&] {
    return cv::Point(random.between(0, size.width), random.between(0, size.height));
  };
  for (int i = random.between(1, 12); i > 0; --i) {
    cv::Point2f corners[4];
    cv::RotatedRect(
        place(),
        cv::Size(random.between(1, size.width / 2 + 1), random.between(1, size.height / 3 + 1)),
        static_cast<float>(random.between(0, 179)))
        .points(corners);
    std::vector<cv::Point> polygon(corners, corners + 4);
    cv::fillConvexPoly(map, polygon, cv::Scalar(i % 3 == 2 ? 0 : 255));
    cv::circle(map, place(), random.between(0, size.width / 3), cv::Scalar(255));
  }
  return map;
}

cv::Mat random_map(uint64_t seed) {
  networks::Random random(seed);
  const int most = seed % 25 == 0 ? 300 : 60;
  const cv::Size size(random.between(1, most), random.between(1, most));
  return random.chance(0.3) ? noise(random, size) : figures(random, size);
}

std::vector<std::vector<cv::Point>> contours_of(const cv::Mat& map) {
  std::vector<std::vector<cv::Point>> contours;
  cv::findContours(map, contours, cv::RETR_LIST, cv::CHAIN_APPROX_SIMPLE);
  return contours;
}

std::vector<Outline> ours_of(const cv::Mat& map) {
  return outlines_of({map.data, map.total()}, {map.cols, map.rows});
}

std::vector<GridPoint> points_of(const std::vector<cv::Point>& contour) {
  std::vector<GridPoint> points;
  for (const cv::Point& point : contour) points.push_back({point.x, point.y});
  return points;
}

// The rectangles on the hull's sides that are not larger than the smallest one, by their angles.
size_t smallest_ones(const std::vector<GridPoint>& hull, double area) {
  std::vector<double> turns;
  for (size_t i = 0; i < hull.size(); ++i) {
    const GridPoint &a = hull[i], &b = hull[(i + 1) % hull.size()];
    const double angle = std::atan2(b.y - a.y, b.x - a.x), c = std::cos(angle), s = std::sin(angle);
    double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
    for (const GridPoint& point : hull) {
      const double along = point.x * c + point.y * s, across = point.y * c - point.x * s;
      left = std::min(left, along), right = std::max(right, along);
      top = std::min(top, across), bottom = std::max(bottom, across);
    }
    const double turn = std::fmod(angle + 4 * pi, pi / 2);  // of the four sides one
    const bool is_new = std::ranges::none_of(turns, [&](double other) {
      const double apart = std::abs(turn - other);
      return std::min(apart, pi / 2 - apart) < 1e-7;
    });
    if ((right - left) * (bottom - top) < area * (1 + 1e-5) + 1e-9 && is_new) turns.push_back(turn);
  }
  return turns.size();
}

}  // namespace

TEST_CASE("outlines have the hulls of OpenCV's contours, in their order") {
  size_t compared = 0;
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    CAPTURE(seed);
    const cv::Mat map = random_map(seed);
    const auto theirs = contours_of(map);
    const auto ours = ours_of(map);
    REQUIRE(ours.size() == theirs.size());
    for (size_t i = 0; i < ours.size(); ++i, ++compared)
      REQUIRE(convex_hull(ours[i]) == convex_hull(points_of(theirs[i])));
  }
  CHECK(compared > 5000);
}

TEST_CASE("rectangles are as small as OpenCV's, and the same where one is the smallest") {
  size_t same = 0, several = 0;
  for (uint64_t seed = 1; seed <= 600; ++seed)
    for (const auto& contour : contours_of(random_map(seed))) {
      CAPTURE(seed);
      const cv::RotatedRect theirs = cv::minAreaRect(contour);
      const EncasingRectangle ours = smallest_rectangle(points_of(contour));
      const double area = double{theirs.size.width} * double{theirs.size.height};
      REQUIRE(ours.w * ours.h == doctest::Approx(area).epsilon(1e-5));
      if (smallest_ones(convex_hull(points_of(contour)), ours.w * ours.h) > 1) {
        ++several;
        continue;
      }
      ++same;
      REQUIRE(std::abs(ours.x - double{theirs.center.x}) < 1e-3);
      REQUIRE(std::abs(ours.y - double{theirs.center.y}) < 1e-3);
      const double long_side = std::max(double{theirs.size.width}, double{theirs.size.height});
      const double short_side = std::min(double{theirs.size.width}, double{theirs.size.height});
      REQUIRE(std::abs(std::max(ours.w, ours.h) - long_side) < 1e-3);
      REQUIRE(std::abs(std::min(ours.w, ours.h) - short_side) < 1e-3);
    }
  CHECK(same > 5000);
  CHECK(several > 100);
}

TEST_CASE("a rectangle holds its points, and its sides touch them") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    networks::Random random(seed);
    std::vector<GridPoint> points;
    for (int i = random.between(1, 30); i > 0; --i)
      points.push_back({random.between(-50, 1000), random.between(-50, 60)});
    const EncasingRectangle found = smallest_rectangle(points);
    double most_along = 0.0, most_across = 0.0;
    for (const GridPoint& point : points) {
      const double x = point.x - found.x, y = point.y - found.y;
      const double c = std::cos(found.angle), s = std::sin(found.angle);
      most_along = std::max(most_along, std::abs(x * c + y * s));
      most_across = std::max(most_across, std::abs(y * c - x * s));
    }
    CHECK(2 * most_along == doctest::Approx(found.w).epsilon(1e-6));
    CHECK(2 * most_across == doctest::Approx(found.h).epsilon(1e-6));
  }
}

TEST_CASE("the rectangle of points on a line has no height, and that of one point no size") {
  const EncasingRectangle line = smallest_rectangle({{4, 5}, {0, 2}, {8, 8}, {0, 2}});
  CHECK(line.w == doctest::Approx(10));
  CHECK(line.h == 0.0);
  CHECK(line.x == doctest::Approx(4));
  CHECK(line.y == doctest::Approx(5));
  const EncasingRectangle point = smallest_rectangle({{3, 7}, {3, 7}});
  CHECK(point.x == 3.0);
  CHECK(point.y == 7.0);
  CHECK(point.w == 0.0);
}
