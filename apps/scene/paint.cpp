#include "apps/scene/paint.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace shingle {
namespace {

constexpr int subpixel_bits = 4;  // OpenCV's fixed point: sixteenths of a pixel

// OpenCV counts from the middle of the first pixel, outlines from its corner.
cv::Point fixed(cv::Point2d point) {
  constexpr double one = 1 << subpixel_bits, far = 1 << 24;
  return {static_cast<int>(std::lround(std::clamp((point.x - 0.5) * one, -far, far))),
          static_cast<int>(std::lround(std::clamp((point.y - 0.5) * one, -far, far)))};
}

std::vector<cv::Point> fixed(const Outline& points) {
  std::vector<cv::Point> all;
  all.reserve(points.size());
  for (const cv::Point2d& point : points) all.push_back(fixed(point));
  return all;
}

bool meets(const cv::Mat& image, const Box& box) {
  return box.x < static_cast<float>(image.cols) && box.y < static_cast<float>(image.rows) &&
         box.x + box.w > 0 && box.y + box.h > 0;
}

}  // namespace

Colour grey(double level) { return {level, level, level}; }

Colour shaded(const Colour& colour, double light) {
  Colour result;
  for (int i = 0; i < 3; ++i) result[i] = std::clamp(colour[i] * light, 0.0, 255.0);
  return result;
}

Colour tinted(SceneDice& dice, const Colour& colour, double spread) {
  Colour result;
  for (int i = 0; i < 3; ++i)
    result[i] = std::clamp(colour[i] + dice.within(-spread, spread), 0.0, 255.0);
  return result;
}

void fill(cv::Mat& image, const Outline& corners, const Colour& colour) {
  if (corners.size() < 3 || !meets(image, bounds(corners))) return;
  const std::vector<std::vector<cv::Point>> polygon{fixed(corners)};
  cv::fillPoly(image, polygon, colour, image.depth() == CV_8U ? cv::LINE_AA : cv::LINE_8,
               subpixel_bits);
}

void fill_circle(cv::Mat& image, cv::Point2d centre, double radius, const Colour& colour) {
  const float r = static_cast<float>(radius);
  if (!meets(image,
             {static_cast<float>(centre.x) - r, static_cast<float>(centre.y) - r, 2 * r, 2 * r}))
    return;
  cv::circle(image, fixed(centre), static_cast<int>(radius * (1 << subpixel_bits)), colour,
             cv::FILLED, image.depth() == CV_8U ? cv::LINE_AA : cv::LINE_8, subpixel_bits);
}

void stroke(cv::Mat& image, const Outline& points, double width, const Colour& colour) {
  for (size_t i = 1; i < points.size(); ++i) {
    const cv::Point2d along = points[i] - points[i - 1];
    const double length = std::max(1e-9, std::hypot(along.x, along.y));
    const cv::Point2d across{-along.y / length * width / 2, along.x / length * width / 2};
    fill(image,
         {points[i - 1] + across, points[i] + across, points[i] - across, points[i - 1] - across},
         colour);
  }
}

cv::Mat noise(SceneDice& dice, cv::Size size, const Grain& grain) {
  cv::Mat sum(size, CV_32F, cv::Scalar(0));
  double weight = 1.0, all = 0.0;
  for (double cell = grain.coarsest; cell >= grain.finest; cell /= 2, weight *= grain.persistence) {
    cv::Mat lattice(static_cast<int>(size.height / cell) + 3,
                    static_cast<int>(size.width / cell) + 3, CV_32F);
    for (float& value : cv::Mat_<float>(lattice))
      value = static_cast<float>(dice.within(-1.0, 1.0));
    cv::Mat octave;
    cv::resize(lattice, octave, {}, cell, cell, cv::INTER_CUBIC);
    octave(cv::Rect(cv::Point(0, 0), size)).copyTo(octave);
    sum += octave * weight;
    all += weight * weight;
  }
  return sum / std::sqrt(std::max(all, 1e-9));
}

}  // namespace shingle
