#include "apps/letterbox.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <opencv2/imgproc.hpp>

namespace shingle {
namespace {

constexpr int letterbox_grey = 114;  // what YOLOX was trained with

cv::Size fitted_size(Fit fit, cv::Size picture, Shape input) {
  if (fit == Fit::stretch) return {input.w, input.h};
  const Placement placement = place(fit, picture, input);
  return {std::clamp(static_cast<int>(picture.width * placement.scale_x), 1, input.w),
          std::clamp(static_cast<int>(picture.height * placement.scale_y), 1, input.h)};
}

}  // namespace

Placement place(Fit fit, cv::Size picture, Shape input) {
  const double x = double(input.w) / picture.width, y = double(input.h) / picture.height;
  if (fit == Fit::stretch) return {x, y};
  return {std::min(x, y), std::min(x, y)};
}

std::vector<std::byte> image_bytes(const cv::Mat& picture, Fit fit, Shape input) {
  assert(!picture.empty() && picture.type() == CV_8UC3 && (input.c == 1 || input.c == 3));
  cv::Mat source = picture;
  if (input.c == 1) cv::cvtColor(picture, source, cv::COLOR_BGR2GRAY);
  std::vector<std::byte> bytes(static_cast<size_t>(input.elements()),
                               static_cast<std::byte>(letterbox_grey));
  cv::Mat target(input.h, input.w, input.c == 1 ? CV_8UC1 : CV_8UC3, bytes.data());
  const cv::Size size = fitted_size(fit, picture.size(), input);
  cv::Mat part = target(cv::Rect(cv::Point(0, 0), size));
  cv::resize(source, part, size, 0.0, 0.0, cv::INTER_LINEAR);
  return bytes;
}

Box in_picture(const Box& box, Placement placement, cv::Size picture) {
  const auto x = [&](float value) { return static_cast<float>(value / placement.scale_x); };
  const auto y = [&](float value) { return static_cast<float>(value / placement.scale_y); };
  return clipped({x(box.x), y(box.y), x(box.w), y(box.h)}, static_cast<float>(picture.width),
                 static_cast<float>(picture.height));
}

}  // namespace shingle
