#include "apps/annotate.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <opencv2/imgproc.hpp>

namespace shingle {
namespace {

// Okabe and Ito's colours (BGR): told apart by the colour-blind too. Black letters read on each.
const std::array<cv::Scalar, 7> colours{cv::Scalar(0, 159, 230),  cv::Scalar(233, 180, 86),
                                        cv::Scalar(115, 158, 0),  cv::Scalar(66, 228, 240),
                                        cv::Scalar(178, 114, 0),  cv::Scalar(0, 94, 213),
                                        cv::Scalar(167, 121, 204)};

std::string label_of(const Detection& detection) {
  char score[16];
  std::snprintf(score, sizeof score, " %.2f", static_cast<double>(detection.score));
  return coco_name(detection.class_id) + score;
}

struct Pen {
  double letters = 0.4;  // OpenCV's font scale
  int line = 1;
};

Pen pen_for(cv::Size picture) {  // the same share of the picture at any size
  const double size = std::max(picture.width, picture.height) / 1000.0;
  return {std::clamp(0.5 * size, 0.35, 2.0), std::clamp(static_cast<int>(2.0 * size + 0.5), 1, 8)};
}

void draw(cv::Mat& picture, const Detection& detection, const Pen& pen) {
  const cv::Scalar& colour = colours[static_cast<size_t>(detection.class_id) % colours.size()];
  const cv::Rect box(
      cv::Point(static_cast<int>(detection.box.x), static_cast<int>(detection.box.y)),
      cv::Size(static_cast<int>(detection.box.w), static_cast<int>(detection.box.h)));
  cv::rectangle(picture, box, colour, pen.line, cv::LINE_AA);
  const std::string label = label_of(detection);
  int below = 0;
  const cv::Size size =
      cv::getTextSize(label, cv::FONT_HERSHEY_SIMPLEX, pen.letters, 1, &below) + cv::Size(4, 4);
  const int top = std::max(0, box.y - size.height - below);
  cv::rectangle(picture, cv::Rect(cv::Point(box.x, top), size + cv::Size(0, below)), colour,
                cv::FILLED);
  cv::putText(picture, label, cv::Point(box.x + 2, top + size.height - 2), cv::FONT_HERSHEY_SIMPLEX,
              pen.letters, cv::Scalar::all(0), 1, cv::LINE_AA);
}

}  // namespace

void annotate(cv::Mat& picture, std::span<const Detection> detections) {
  const Pen pen = pen_for(picture.size());
  for (auto worst_first = detections.rbegin(); worst_first != detections.rend(); ++worst_first)
    draw(picture, *worst_first, pen);
}

}  // namespace shingle
