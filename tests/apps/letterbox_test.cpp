#include "apps/letterbox.hpp"

#include <doctest/doctest.h>

#include <opencv2/imgproc.hpp>

using namespace shingle;

namespace {

cv::Mat gradient(int width, int height) {
  cv::Mat picture(height, width, CV_8UC3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      picture.at<cv::Vec3b>(y, x) = {static_cast<uchar>(x * 255 / width),
                                     static_cast<uchar>(y * 255 / height), 40};
  return picture;
}

int value_at(const std::vector<std::byte>& bytes, Shape shape, int y, int x, int c) {
  return static_cast<int>(bytes[static_cast<size_t>((y * shape.w + x) * shape.c + c)]);
}

}  // namespace

TEST_CASE("a letterbox keeps the shape, top left, and fills with 114") {
  const Shape input{40, 40, 3};
  const auto bytes = image_bytes(gradient(80, 40), Fit::letterbox, input);
  CHECK(value_at(bytes, input, 0, 0, 2) == 40);
  CHECK(value_at(bytes, input, 19, 39, 2) == 40);
  CHECK(value_at(bytes, input, 20, 0, 2) == 114);
  CHECK(value_at(bytes, input, 39, 39, 0) == 114);
  CHECK(value_at(bytes, input, 10, 39, 0) > 240);  // the right edge of the picture, blue
}

TEST_CASE("a picture of the input's size passes unchanged") {
  const cv::Mat picture = gradient(24, 16);
  const Shape input{16, 24, 3};
  for (const Fit fit : {Fit::letterbox, Fit::stretch}) {
    const auto bytes = image_bytes(picture, fit, input);
    CHECK(std::equal(bytes.begin(), bytes.end(), reinterpret_cast<const std::byte*>(picture.data)));
  }
}

TEST_CASE("stretching fills the whole input") {
  const Shape input{30, 30, 3};
  const auto bytes = image_bytes(gradient(90, 20), Fit::stretch, input);
  for (int y = 0; y < 30; ++y) CHECK(value_at(bytes, input, y, 29, 2) == 40);
}

TEST_CASE("a grey model gets grey") {
  const Shape input{8, 8, 1};
  const cv::Mat white(20, 20, CV_8UC3, cv::Scalar::all(255));
  for (const std::byte value : image_bytes(white, Fit::stretch, input))
    CHECK(value == std::byte{255});
}

TEST_CASE("very thin pictures keep at least one row") {
  const Shape input{32, 32, 3};
  CHECK(image_bytes(gradient(1000, 2), Fit::letterbox, input).size() == 32 * 32 * 3);
}

TEST_CASE("boxes go back to the picture that they were found in") {
  const Shape input{416, 416, 3};
  for (const Fit fit : {Fit::letterbox, Fit::stretch}) {
    const cv::Size picture(768, 432);
    const Placement placement = place(fit, picture, input);
    const Box truth{100, 50, 60, 30};
    const auto scaled = [&](float v, double s) { return static_cast<float>(v * s); };
    const Box seen{scaled(truth.x, placement.scale_x), scaled(truth.y, placement.scale_y),
                   scaled(truth.w, placement.scale_x), scaled(truth.h, placement.scale_y)};
    CHECK(intersection_over_union(in_picture(seen, placement, picture), truth) > 0.999F);
  }
}
