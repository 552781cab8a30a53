#include "apps/drone/motion/still_marks.hpp"

#include <opencv2/imgproc.hpp>

namespace shingle::drone {
namespace {

constexpr double least_moved = 1.5;   // pixels between the pictures
constexpr double least_edge = 40.0;   // grey levels within 3 x 3 pixels
constexpr double most_change = 10.0;  // grey levels of a pixel that stays
constexpr int most_count = 20;        // so digits that change are remembered for a while
constexpr int sure_count = 6;
constexpr double most_masked = 0.3;  // of the picture
constexpr int margin = 9;            // pixels, the side of what is masked around a mark

}  // namespace

void StillMarks::see(const cv::Mat& before, const cv::Mat& now, double moved) {
  if (moved < least_moved) return;
  if (counts_.size() != now.size()) counts_ = cv::Mat::zeros(now.size(), CV_8UC1);
  cv::Mat edges, change;
  cv::morphologyEx(now, edges, cv::MORPH_GRADIENT, cv::Mat::ones(3, 3, CV_8UC1));
  cv::absdiff(before, now, change);
  const cv::Mat stays = (edges >= least_edge) & (change <= most_change);
  cv::subtract(counts_, cv::Scalar(1), counts_);
  cv::add(counts_, cv::Scalar(2), counts_, stays);
  cv::min(counts_, cv::Scalar(most_count), counts_);
}

cv::Mat StillMarks::allowed(cv::Size size) const {
  cv::Mat mask(size, CV_8UC1, cv::Scalar(255));
  if (counts_.size() != size) return mask;
  cv::Mat marks = counts_ >= sure_count;
  cv::dilate(marks, marks, cv::Mat::ones(margin, margin, CV_8UC1));
  if (cv::countNonZero(marks) <= most_masked * static_cast<double>(size.area()))
    mask.setTo(0, marks);
  return mask;
}

}  // namespace shingle::drone
