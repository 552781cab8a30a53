#include "apps/vision/picture.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <opencv2/imgproc.hpp>
#include <span>

namespace shingle {
namespace {

// The part of the input that the picture covers.
cv::Rect covered(Fit fit, cv::Size picture, Shape input) {
  if (fit == Fit::stretch || fit == Fit::crop) return {0, 0, input.w, input.h};
  const double scale = std::min(double(input.w) / picture.width, double(input.h) / picture.height);
  const auto length = [&](int side, int most) {
    // YOLOX's letterbox rounds down (but 77 * (320.0 / 77) is a little less than 320), Ultralytics'
    // centred one to the nearest.
    const double exact = side * scale;
    const int pixels = fit == Fit::letterbox ? cvFloor(exact + 1e-6) : cvRound(exact);
    return std::clamp(pixels, 1, most);
  };
  const int width = length(picture.width, input.w), height = length(picture.height, input.h);
  if (fit == Fit::letterbox) return {0, 0, width, height};
  return {(input.w - width) / 2, (input.h - height) / 2, width, height};
}

// The part of the picture that a crop keeps: of the input's shape, in the middle.
cv::Rect kept(cv::Size picture, Shape input) {
  const double scale = std::max(double(input.w) / picture.width, double(input.h) / picture.height);
  const int width = std::clamp(static_cast<int>(input.w / scale + 0.5), 1, picture.width);
  const int height = std::clamp(static_cast<int>(input.h / scale + 0.5), 1, picture.height);
  return {(picture.width - width) / 2, (picture.height - height) / 2, width, height};
}

cv::Mat in_channels(const cv::Mat& picture, const Preparation& preparation, int channels) {
  cv::Mat converted;
  if (channels == 1)
    cv::cvtColor(picture, converted, cv::COLOR_BGR2GRAY);
  else if (preparation.colour == ColourOrder::rgb)
    cv::cvtColor(picture, converted, cv::COLOR_BGR2RGB);
  else
    converted = picture;
  return converted;
}

}  // namespace

Placement place(Fit fit, cv::Size picture, Shape input) {
  if (fit == Fit::crop) {
    const cv::Rect part = kept(picture, input);
    const double x = double(input.w) / part.width, y = double(input.h) / part.height;
    return {x, y, -part.x * x, -part.y * y};
  }
  const double x = double(input.w) / picture.width, y = double(input.h) / picture.height;
  if (fit == Fit::stretch) return {x, y};
  const cv::Rect part = covered(fit, picture, input);  // up to a pixel off; so are the heads' own
  return {std::min(x, y), std::min(x, y), double(part.x), double(part.y)};
}

std::vector<std::byte> image_bytes(const cv::Mat& picture, const Preparation& preparation,
                                   Shape input) {
  assert(!picture.empty() && picture.type() == CV_8UC3 && (input.c == 1 || input.c == 3));
  const Fit fit = preparation.fit;
  cv::Mat source = fit == Fit::crop ? picture(kept(picture.size(), input)) : picture;
  source = in_channels(source, preparation, input.c);
  std::vector<std::byte> bytes(static_cast<size_t>(input.elements()),
                               static_cast<std::byte>(preparation.fill));
  cv::Mat target(input.h, input.w, input.c == 1 ? CV_8UC1 : CV_8UC3, bytes.data());
  cv::Mat part = target(covered(fit, picture.size(), input));
  cv::resize(source, part, part.size(), 0.0, 0.0, cv::INTER_LINEAR);
  return bytes;
}

std::vector<std::byte> size_bytes(const Placement& placement, Shape input) {
  const std::array<float, 2> size{static_cast<float>(input.w / placement.scale_x),
                                  static_cast<float>(input.h / placement.scale_y)};
  const auto bytes = std::as_bytes(std::span(size));
  return {bytes.begin(), bytes.end()};
}

Box in_picture(const Box& box, const Placement& placement, cv::Size picture) {
  const auto x = [&](float value) {
    return static_cast<float>((value - placement.left) / placement.scale_x);
  };
  const auto y = [&](float value) {
    return static_cast<float>((value - placement.top) / placement.scale_y);
  };
  const float left = x(box.x), top = y(box.y);
  return clipped({left, top, x(box.x + box.w) - left, y(box.y + box.h) - top},
                 static_cast<float>(picture.width), static_cast<float>(picture.height));
}

}  // namespace shingle
