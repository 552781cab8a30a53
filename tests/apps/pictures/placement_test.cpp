#include "apps/pictures/placement.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>

#include "apps/findings/detection.hpp"
#include "apps/pictures/image_bytes.hpp"
#include "apps/vision/mat_view.hpp"
#include "tests/networks/networks.hpp"

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
  const auto bytes = image_bytes(view_of(gradient(80, 40)), {.fit = Fit::letterbox}, input);
  CHECK(value_at(bytes, input, 0, 0, 2) == 40);
  CHECK(value_at(bytes, input, 19, 39, 2) == 40);
  CHECK(value_at(bytes, input, 20, 0, 2) == 114);
  CHECK(value_at(bytes, input, 39, 39, 0) == 114);
  CHECK(value_at(bytes, input, 10, 39, 0) > 240);  // the right edge of the picture, blue
}

TEST_CASE("a picture of the input's size passes unchanged") {
  const cv::Mat picture = gradient(24, 16);
  const Shape input{16, 24, 3};
  for (const Fit fit : {Fit::letterbox, Fit::centred, Fit::stretch, Fit::crop}) {
    const auto bytes = image_bytes(view_of(picture), {.fit = fit}, input);
    CHECK(std::equal(bytes.begin(), bytes.end(), reinterpret_cast<const std::byte*>(picture.data)));
  }
}

TEST_CASE("stretching fills the whole input") {
  const Shape input{30, 30, 3};
  const auto bytes = image_bytes(view_of(gradient(90, 20)), {}, input);
  for (int y = 0; y < 30; ++y) CHECK(value_at(bytes, input, y, 29, 2) == 40);
}

TEST_CASE("a grey model gets grey") {
  const Shape input{8, 8, 1};
  const cv::Mat white(20, 20, CV_8UC3, cv::Scalar::all(255));
  for (const std::byte value : image_bytes(view_of(white), {}, input))
    CHECK(value == std::byte{255});
}

TEST_CASE("very thin pictures keep at least one row") {
  const Shape input{32, 32, 3};
  for (const Fit fit : {Fit::letterbox, Fit::centred, Fit::stretch, Fit::crop})
    CHECK(image_bytes(view_of(gradient(1000, 2)), {.fit = fit}, input).size() == 32 * 32 * 3);
}

TEST_CASE("a centred letterbox has the picture in the middle and its own fill") {
  const Shape input{40, 40, 3};
  const auto bytes =
      image_bytes(view_of(gradient(80, 40)), {.fit = Fit::centred, .fill = 7}, input);
  for (const int y : {0, 9, 30, 39}) CHECK(value_at(bytes, input, y, 20, 2) == 7);
  for (const int y : {10, 29}) CHECK(value_at(bytes, input, y, 20, 2) == 40);
}

TEST_CASE("a crop keeps the middle and fills the input with it") {
  const Shape input{20, 20, 3};
  const auto bytes = image_bytes(view_of(gradient(80, 40)), {.fit = Fit::crop}, input);
  for (int y = 0; y < 20; ++y) CHECK(value_at(bytes, input, y, 0, 2) == 40);
  // From 20 to 60 of 80 columns: a quarter to three quarters of the blue.
  CHECK(value_at(bytes, input, 10, 0, 0) == doctest::Approx(66).epsilon(0.05));
  CHECK(value_at(bytes, input, 10, 19, 0) == doctest::Approx(189).epsilon(0.05));
}

TEST_CASE("a model of red, green, blue gets them in that order") {
  const Shape input{4, 4, 3};
  const cv::Mat blue(4, 4, CV_8UC3, cv::Scalar(200, 100, 50));
  const auto bytes = image_bytes(view_of(blue), {.colour = ColourOrder::rgb}, input);
  CHECK(value_at(bytes, input, 1, 1, 0) == 50);
  CHECK(value_at(bytes, input, 1, 1, 1) == 100);
  CHECK(value_at(bytes, input, 1, 1, 2) == 200);
}

TEST_CASE("an RGB or grey picture gives what the same picture in BGR gives") {
  const cv::Mat picture = gradient(70, 40);
  cv::Mat turned, grey, grey_in_bgr;
  cv::cvtColor(picture, turned, cv::COLOR_BGR2RGB);
  cv::cvtColor(picture, grey, cv::COLOR_BGR2GRAY);
  cv::cvtColor(grey, grey_in_bgr, cv::COLOR_GRAY2BGR);
  PictureView rgb = view_of(turned);
  rgb.order = ColourOrder::rgb;
  for (const int32_t channels : {1, 3})
    for (const ColourOrder colour : {ColourOrder::bgr, ColourOrder::rgb}) {
      const Shape input{32, 48, channels};
      const Preparation preparation{.fit = Fit::centred, .colour = colour};
      CHECK(image_bytes(rgb, preparation, input) ==
            image_bytes(view_of(picture), preparation, input));
      CHECK(image_bytes(view_of(grey), preparation, input) ==
            image_bytes(view_of(grey_in_bgr), preparation, input));
    }
}

TEST_CASE("a white square is found again where it was drawn, whatever the fit") {
  const Shape input{96, 128, 3};
  for (const cv::Size size : {cv::Size(640, 360), cv::Size(300, 500), cv::Size(128, 96)})
    for (const Fit fit : {Fit::letterbox, Fit::centred, Fit::stretch, Fit::crop}) {
      CAPTURE(size.width);
      CAPTURE(static_cast<int>(fit));
      // Given a square in the middle of a black picture
      cv::Mat picture(size, CV_8UC3, cv::Scalar::all(0));
      const cv::Rect truth(size.width / 2 - 30, size.height / 2 - 20, 60, 40);
      picture(truth).setTo(cv::Scalar::all(255));
      // When its place in the input is taken back to the picture
      const auto bytes = image_bytes(view_of(picture), {.fit = fit, .fill = 0}, input);
      int left = input.w, top = input.h, right = 0, bottom = 0;
      for (int y = 0; y < input.h; ++y)
        for (int x = 0; x < input.w; ++x) {
          if (value_at(bytes, input, y, x, 1) < 128) continue;
          left = std::min(left, x), right = std::max(right, x + 1);
          top = std::min(top, y), bottom = std::max(bottom, y + 1);
        }
      const Box seen{static_cast<float>(left), static_cast<float>(top),
                     static_cast<float>(right - left), static_cast<float>(bottom - top)};
      const Placement placement = place(fit, size_of(picture), input);
      const Box found = in_picture(seen, placement, size_of(picture));
      // Then it is where it was, to a pixel of the input
      const auto pixel = static_cast<float>(1.0 / std::min(placement.scale_x, placement.scale_y));
      CHECK(std::abs(found.x - static_cast<float>(truth.x)) <= pixel);
      CHECK(std::abs(found.y - static_cast<float>(truth.y)) <= pixel);
      CHECK(std::abs(found.x + found.w - static_cast<float>(truth.x + truth.width)) <= pixel);
      CHECK(std::abs(found.y + found.h - static_cast<float>(truth.y + truth.height)) <= pixel);
    }
}

TEST_CASE("boxes are clipped to the picture") {
  const Placement placement = place(Fit::centred, {100, 50}, {100, 100, 3});
  CHECK(in_picture({-10, 0, 200, 200}, placement, {100, 50}) == Box{0, 0, 100, 50});
}

TEST_CASE("mean and deviation become the model's first layer") {
  Model model = networks::make("tiny", 0, 1).value();
  REQUIRE(take_picture(model, {.mean = {10, 20, 30}, .deviation = {2, 4, 5}}).ok());
  REQUIRE(model.image.has_value());
  CHECK(model.image->scale == std::vector<float>{0.5F, 0.25F, 0.2F});
  CHECK(model.image->offset == std::vector<float>{-5.0F, -5.0F, -6.0F});
  CHECK_FALSE(take_picture(model, Preparation{}).ok());  // it takes bytes already
}

TEST_CASE("a picture as wide as the input fills it, whatever the division rounds to") {
  for (const Fit fit : {Fit::letterbox, Fit::centred})
    for (int width = 1; width <= 400; ++width) {
      CAPTURE(width);
      const Shape input{320, 320, 1};
      const auto bytes = image_bytes(view_of(cv::Mat(width, width, CV_8UC3, cv::Scalar::all(9))),
                                     {.fit = fit}, input);
      CHECK(value_at(bytes, input, 319, 319, 0) == 9);
    }
}
