// The scaler and the colours, byte by byte against OpenCV's.
#include "apps/pictures/scale.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "apps/pictures/colour.hpp"
#include "apps/vision/mat_view.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;

namespace {

cv::Mat random_picture(networks::Random& random, cv::Size size, int type) {
  cv::Mat picture(size, type);
  const size_t bytes = picture.total() * picture.elemSize();
  for (size_t i = 0; i < bytes; ++i) picture.data[i] = static_cast<uchar>(random.between(0, 255));
  return picture;
}

int32_t random_side(networks::Random& random) {
  constexpr int32_t most[] = {4, 40, 170, 500};
  return random.between(1, most[random.between(0, 3)]);
}

bool equal(const cv::Mat& a, const cv::Mat& b) { return cv::norm(a, b, cv::NORM_INF) == 0; }

// What lies around the target must stay.
cv::Mat scaled(const PictureView& source, cv::Size size, int type) {
  cv::Mat around(size.height + 2, size.width + 2, type, cv::Scalar::all(77));
  const cv::Rect middle(1, 1, size.width, size.height);
  const cv::Mat target = around(middle);
  scale_bilinear(source, {.pixels = target.data,
                          .size = {size.width, size.height},
                          .channels = target.channels(),
                          .row_bytes = static_cast<ptrdiff_t>(target.step[0])});
  cv::Mat frame = around.clone();
  frame(middle).setTo(cv::Scalar::all(77));
  CHECK(equal(frame, cv::Mat(frame.size(), type, cv::Scalar::all(77))));
  return target.clone();
}

}  // namespace

TEST_CASE("pictures of any size are scaled to the bytes of OpenCV's INTER_LINEAR") {
  networks::Random random(11);
  for (int round = 0; round < 700; ++round) {
    const int type = random.chance(0.7) ? CV_8UC3 : CV_8UC1;
    const cv::Size to(random_side(random), random_side(random));
    cv::Size from(random_side(random), random_side(random));
    if (round % 20 == 0) from = {2 * to.width, 2 * to.height};
    if (round % 20 == 1) from = {2 * to.width, from.height};
    if (round % 20 == 2) from = to;
    if (round % 20 == 3) from = {2 * to.width + 1, 2 * to.height};
    CAPTURE(round);
    CAPTURE(from);
    CAPTURE(to);
    const cv::Mat source = random_picture(random, from, type);
    cv::Mat expected;
    cv::resize(source, expected, to, 0.0, 0.0, cv::INTER_LINEAR);
    CHECK(equal(scaled(view_of(source), to, type), expected));
  }
}

TEST_CASE("frames of cameras are scaled to the bytes of OpenCV's INTER_LINEAR") {
  networks::Random random(12);
  const cv::Size cameras[] = {{1920, 1080}, {1280, 720}, {640, 480}};
  const cv::Size inputs[] = {{640, 360}, {640, 640}, {416, 234},
                             {320, 320}, {608, 456}, {2560, 90}};
  for (const cv::Size& from : cameras) {
    const cv::Mat source = random_picture(random, from, CV_8UC3);
    for (const cv::Size& to : inputs) {
      cv::Mat expected;
      cv::resize(source, expected, to, 0.0, 0.0, cv::INTER_LINEAR);
      CHECK(equal(scaled(view_of(source), to, CV_8UC3), expected));
    }
  }
}

TEST_CASE("a part of a picture is scaled as if it were alone") {
  networks::Random random(13);
  const cv::Mat whole = random_picture(random, {90, 70}, CV_8UC3);
  for (int round = 0; round < 100; ++round) {
    const cv::Size size(random.between(1, 60), random.between(1, 50));
    const cv::Rect part(cv::Point(random.between(0, 30), random.between(0, 20)), size);
    const cv::Size to(random.between(1, 80), random.between(1, 80));
    const PixelRect of{part.x, part.y, {part.width, part.height}};
    cv::Mat expected;
    cv::resize(whole(part), expected, to, 0.0, 0.0, cv::INTER_LINEAR);
    CHECK(equal(scaled(part_of(view_of(whole), of), to, CV_8UC3), expected));
  }
}

TEST_CASE("every colour has OpenCV's grey") {
  for (int blue = 0; blue < 256; ++blue) {  // a picture of 256 x 256 colours each
    cv::Mat colours(256, 256, CV_8UC3), expected;
    for (int y = 0; y < 256; ++y)
      for (int x = 0; x < 256; ++x)
        colours.at<cv::Vec3b>(y, x) = {static_cast<uchar>(blue), static_cast<uchar>(y),
                                       static_cast<uchar>(x)};
    cv::cvtColor(colours, expected, cv::COLOR_BGR2GRAY);
    REQUIRE(equal(mat_of(in_grey(view_of(colours))), expected));
  }
}
