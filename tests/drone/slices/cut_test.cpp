// Inputs cut out of pictures, shrunk by area, and the way back.
#include "apps/drone/slices/cut.hpp"

#include <doctest/doctest.h>

using namespace shingle;
using namespace shingle::drone;

namespace {

// Each pixel has a value of its own.
cv::Mat picture_of(cv::Size size) {
  cv::Mat picture(size, CV_8UC3);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      picture.at<cv::Vec3b>(y, x) = {static_cast<uchar>(x * 7 + y * 13), static_cast<uchar>(x),
                                     static_cast<uchar>(y)};
  return picture;
}

}  // namespace

TEST_CASE("a pixel of a slice is the mean of the pixels that it covers") {
  const cv::Mat picture = picture_of({1000, 800});
  const SliceGeometry geometry{1000, 800, 200, 160, 3.0};
  const CutImage cut = cut_out(picture, {90, 60, 600, 480}, geometry, 114);
  REQUIRE(cut.image.size() == cv::Size(200, 160));
  for (const cv::Point at : {cv::Point(0, 0), cv::Point(50, 70), cv::Point(199, 159)}) {
    const cv::Scalar mean = cv::mean(picture(cv::Rect(90 + at.x * 3, 60 + at.y * 3, 3, 3)));
    for (int channel = 0; channel < 3; ++channel)
      CHECK(cut.image.at<cv::Vec3b>(at)[channel] == doctest::Approx(mean[channel]).epsilon(0.02));
  }
  const Box box = in_picture({10, 20, 30, 40}, cut);
  CHECK(box == Box{120, 120, 90, 120});
}

TEST_CASE("at the picture's own scale a slice is the picture, pixel by pixel") {
  const cv::Mat picture = picture_of({300, 200});
  const CutImage cut = cut_out(picture, {40, 20, 192, 160}, {300, 200, 192, 160, 1.0}, 114);
  CHECK(cv::norm(cut.image, picture(cv::Rect(40, 20, 192, 160)), cv::NORM_INF) == 0.0);
}

TEST_CASE("in a slanting view each slice fills the input, and boxes lead back to the picture") {
  const cv::Mat picture = picture_of({1000, 800});
  const SliceGeometry geometry{1000, 800, 200, 160, 2.0, 0.003};
  for (const PictureSlice& slice : full_cover(geometry)) {
    const CutImage cut = cut_out(picture, slice, geometry, 114);
    CHECK(cut.image.size() == cv::Size(200, 160));
    CHECK(cut.scale_x == doctest::Approx(shrink_of(slice, geometry)).epsilon(0.02));
    const Box all = in_picture({0, 0, 200, 160}, cut);
    CHECK(all.x == static_cast<float>(slice.x));
    CHECK(all.y + all.h == doctest::Approx(slice.y + slice.height).epsilon(0.01));
  }
}

TEST_CASE("a picture smaller than a slice keeps its scale, and fill stands beside it") {
  const cv::Mat picture = picture_of({300, 200});
  const SliceGeometry geometry{300, 200, 640, 384, 2.0};
  const auto cover = full_cover(geometry);
  REQUIRE(cover.size() == 1);
  const CutImage cut = cut_out(picture, cover.front(), geometry, 114);
  CHECK(cut.image.size() == cv::Size(640, 384));
  CHECK(cut.scale_x == 2.0);
  CHECK(cut.image.at<cv::Vec3b>(50, 151) == cv::Vec3b(114, 114, 114));
  CHECK(cut.image.at<cv::Vec3b>(101, 50) == cv::Vec3b(114, 114, 114));
}

TEST_CASE("the whole picture is shrunk to what the input shows of it, and never enlarged") {
  const cv::Mat picture = picture_of({1920, 1080});
  const CutImage whole = whole_picture(picture, Fit::letterbox, {.h = 384, .w = 640, .c = 3});
  CHECK(whole.image.size() == cv::Size(640, 360));
  CHECK(whole.scale_x == 3.0);
  const CutImage stretched = whole_picture(picture, Fit::stretch, {.h = 384, .w = 640, .c = 3});
  CHECK(stretched.image.size() == cv::Size(640, 384));
  const CutImage small =
      whole_picture(picture_of({100, 50}), Fit::letterbox, {.h = 384, .w = 640, .c = 3});
  CHECK(small.image.size() == cv::Size(100, 50));
}
