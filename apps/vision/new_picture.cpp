#include "apps/vision/new_picture.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <opencv2/imgproc.hpp>

namespace shingle {
namespace {

uchar pixel_of(float value) {
  return std::isnan(value) ? uchar{0} : static_cast<uchar>(std::clamp(value, 0.0F, 255.0F) + 0.5F);
}

// The part of planes of this size that shows the picture.
cv::Rect shown(cv::Size planes, const Placement& placement, Shape input, cv::Size picture) {
  const auto along = [](double at, int32_t input_size, int size) {
    return std::clamp(cvRound(at / input_size * size), 0, size);
  };
  const int left = along(placement.left, input.w, planes.width);
  const int top = along(placement.top, input.h, planes.height);
  const int right =
      along(placement.left + picture.width * placement.scale_x, input.w, planes.width);
  const int bottom =
      along(placement.top + picture.height * placement.scale_y, input.h, planes.height);
  return {left, top, std::max(right - left, 1), std::max(bottom - top, 1)};
}

}  // namespace

cv::Mat new_picture(const Planes& planes, const Preparation& preparation, Shape input,
                    cv::Size picture) {
  const auto h = static_cast<size_t>(planes.shape.h), w = static_cast<size_t>(planes.shape.w);
  const auto channels = static_cast<size_t>(planes.shape.c);
  assert((channels == 1 || channels == 3) && planes.values.size() == channels * h * w);
  cv::Mat image(planes.shape.h, planes.shape.w, channels == 1 ? CV_8UC1 : CV_8UC3);
  for (size_t y = 0; y < h; ++y) {
    uchar* row = image.ptr<uchar>(static_cast<int>(y));
    for (size_t x = 0; x < w; ++x)
      for (size_t c = 0; c < channels; ++c)
        row[x * channels + c] = pixel_of(
            planes.values[(c * h + y) * w + x] * preparation.deviation[c] + preparation.mean[c]);
  }
  if (channels == 3 && preparation.colour == ColourOrder::rgb)
    cv::cvtColor(image, image, cv::COLOR_RGB2BGR);
  const Placement placement = place(preparation.fit, picture, input);
  const cv::Rect part = shown(image.size(), placement, input, picture);
  return image(part & cv::Rect(cv::Point(), image.size())).clone();
}

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
