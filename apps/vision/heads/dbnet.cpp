// DBNet: where text is. A map of the input's size says of each pixel how probably it belongs to a
// line of text, drawn in from all sides so that lines do not touch.
//
//   pixels of more than 0.3 --> contours --> the smallest rectangle around each --> its score, the
//   mean of the map inside --> widened on all sides by area * 1.5 / perimeter
//
// (Liao et al., "Real-time Scene Text Detection with Differentiable Binarization", 2020;
// PaddleOCR's DBPostProcess, box_type quad, score_mode fast. A polygon offset of a rectangle with
// round corners has as its smallest rectangle the one widened by as much, so no polygon is
// clipped.)
//
// The map looks like any other map of one channel: the user must name the head.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>

#include "apps/vision/heads/maps.hpp"

namespace shingle {
namespace {

constexpr float least_probability = 0.3F;
constexpr size_t most_contours = 1000;
constexpr float least_side = 3.0F;  // of a rectangle before it is widened
constexpr float unclip_ratio = 1.5F;

std::optional<Claim> claim(const Clues& clues) {
  const auto map = only_map(clues);
  if (!map || map->c != 1 || map->h != clues.input.h || map->w != clues.input.w)
    return std::nullopt;
  return Claim{.classes = 1, .certainty = Certainty::shared};
}

// PaddleOCR's: ImageNet's numbers in their order for RGB, on channels in the order BGR.
Preparation preparation(const Clues&) {
  Preparation prepared = imagenet_preparation(Fit::stretch);
  prepared.colour = ColourOrder::bgr;
  return prepared;
}

// Contours go through the middles of pixels; the rectangle covers the pixels whole.
TurnedBox rectangle_around(const std::vector<cv::Point>& contour) {
  const cv::RotatedRect found = cv::minAreaRect(contour);
  return regular({.class_id = 0,
                  .score = 0.0F,
                  .x = found.center.x + 0.5F,
                  .y = found.center.y + 0.5F,
                  .w = found.size.width + 1.0F,
                  .h = found.size.height + 1.0F,
                  .angle = found.angle * static_cast<float>(std::numbers::pi / 180.0)});
}

// The mean of the map over the pixels whose middles lie in the rectangle; 0 where there are none.
float mean_inside(const cv::Mat& map, const TurnedBox& box) {
  const double cos = std::cos(double{box.angle}), sin = std::sin(double{box.angle});
  const double reach = std::hypot(double{box.w}, double{box.h}) / 2.0;
  const int left = std::max(cvFloor(double{box.x} - reach), 0);
  const int right = std::min(cvCeil(double{box.x} + reach), map.cols);
  const int top = std::max(cvFloor(double{box.y} - reach), 0);
  const int bottom = std::min(cvCeil(double{box.y} + reach), map.rows);
  double sum = 0.0;
  int64_t count = 0;
  for (int y = top; y < bottom; ++y)
    for (int x = left; x < right; ++x) {
      const double dx = x + 0.5 - double{box.x}, dy = y + 0.5 - double{box.y};
      if (std::abs(dx * cos + dy * sin) > double{box.w} / 2 ||
          std::abs(dy * cos - dx * sin) > double{box.h} / 2)
        continue;
      sum += double{map.at<float>(y, x)};
      ++count;
    }
  return count == 0 ? 0.0F : static_cast<float>(sum / static_cast<double>(count));
}

TurnedBoxes decode(const Clues& clues, Values values, float min_score) {
  const Shape shape = *only_map(clues);
  cv::Mat map(shape.h, shape.w, CV_32F), text(shape.h, shape.w, CV_8U);
  for (int y = 0; y < shape.h; ++y)
    for (int x = 0; x < shape.w; ++x) {
      const float value =
          values[0][static_cast<size_t>(y) * static_cast<size_t>(shape.w) + static_cast<size_t>(x)];
      map.at<float>(y, x) = value >= 0.0F && value <= 1.0F ? value : 0.0F;
      text.at<uchar>(y, x) = map.at<float>(y, x) > least_probability ? 255 : 0;
    }
  std::vector<std::vector<cv::Point>> contours;
  cv::findContours(text, contours, cv::RETR_LIST, cv::CHAIN_APPROX_SIMPLE);
  contours.resize(std::min(contours.size(), most_contours));
  TurnedBoxes found;
  for (const std::vector<cv::Point>& contour : contours) {
    TurnedBox box = rectangle_around(contour);
    if (box.h < least_side) continue;
    box.score = mean_inside(map, box);
    if (!(box.score >= min_score)) continue;
    const float widened = box.w * box.h * unclip_ratio / (box.w + box.h);  // both sides together
    box.w += widened;
    box.h += widened;
    found.push_back(box);
  }
  return found;
}

}  // namespace

constinit const Head dbnet_head{.name = "dbnet",
                                .outputs = "1x1xHxW or 1xHxW, H and W the input's",
                                .task = "text-areas",
                                .customary_classes = 1,
                                .usual_min_score = 0.6F,
                                .claim = claim,
                                .preparation = preparation,
                                .decode = decode,
                                .is_final = true,
                                .only_class = "text"};

}  // namespace shingle
