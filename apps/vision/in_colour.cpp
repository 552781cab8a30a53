#include "apps/vision/in_colour.hpp"

#include <array>
#include <opencv2/imgproc.hpp>

namespace shingle {

cv::Mat in_colour(const cv::Mat& made, const cv::Mat& picture) {
  if (made.channels() == 3) return made;
  cv::Mat colours;
  cv::resize(picture, colours, made.size(), 0.0, 0.0, cv::INTER_CUBIC);
  cv::cvtColor(colours, colours, cv::COLOR_BGR2YCrCb);
  std::array<cv::Mat, 3> planes;
  cv::split(colours, planes.data());
  planes[0] = made;
  cv::merge(planes.data(), planes.size(), colours);
  cv::cvtColor(colours, colours, cv::COLOR_YCrCb2BGR);
  return colours;
}

}  // namespace shingle
