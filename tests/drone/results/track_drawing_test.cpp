// Tracks drawn into pictures.
#include "apps/drone/results/track_drawing.hpp"

#include <doctest/doctest.h>

#include <opencv2/imgproc.hpp>

#include "apps/vision/label.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

const cv::Size vga{640, 480};

cv::Mat drawn(const std::vector<Sighting>& sightings, cv::Size size = vga) {
  cv::Mat picture(size, CV_8UC3, cv::Scalar::all(0));
  draw_tracks(picture, sightings, [](int class_id) { return "class" + std::to_string(class_id); });
  return picture;
}

Sighting car(PixelBox box) { return {.track = 12, .class_id = 2, .score = 0.9, .box = box}; }

bool has_colour(const cv::Mat& picture, int x, int y, const cv::Scalar& colour) {
  const auto pixel = picture.at<cv::Vec3b>(y, x);
  return pixel == cv::Vec3b(cv::saturate_cast<uchar>(colour[0]),
                            cv::saturate_cast<uchar>(colour[1]),
                            cv::saturate_cast<uchar>(colour[2]));
}

// What is not black.
cv::Rect painted(const cv::Mat& picture) {
  cv::Mat grey;
  cv::cvtColor(picture, grey, cv::COLOR_BGR2GRAY);
  return cv::boundingRect(grey);
}

}  // namespace

TEST_CASE("a track is a frame in the colour of its class, with a text above it") {
  const cv::Mat picture = drawn({car({200, 150, 100, 60})});
  const cv::Scalar colour = colour_of(2);
  for (const auto& [x, y] : {std::pair{200, 180}, {250, 209}, {299, 180}})
    CHECK(has_colour(picture, x, y, colour));
  CHECK(has_colour(picture, 250, 180, cv::Scalar::all(0)));  // the inside stays
  const cv::Rect all = painted(picture);
  CHECK(all.y < 145);
  CHECK(all.y > 110);
  CHECK(all.x >= 198);
  CHECK(all.x + all.width <= 302);
}

TEST_CASE("a speed that is known stands in the text, one that is not does not") {
  const Sighting unknown = car({100, 150, 20, 20});
  Sighting known = unknown;
  known.ground.speed_mps.value = 12.0;
  CHECK(painted(drawn({known})).width > painted(drawn({unknown})).width + 20);
}

TEST_CASE("texts in a large picture take a share of it that leaves neighbours to be seen") {
  Sighting each = car({900, 500, 50, 30});
  each.ground.speed_mps.value = 12.0;
  const cv::Rect all = painted(drawn({each}, {1920, 1080}));
  CHECK(all.width > 50);
  CHECK(all.width < 1920 / 8);
}

TEST_CASE("texts stay inside the picture, wherever the box is") {
  const cv::Mat top = drawn({car({200, 2, 100, 60})});
  CHECK(painted(top).y + painted(top).height > 65);  // below the box
  const cv::Mat right = drawn({car({630, 300, 40, 40})});
  CHECK(painted(right).x < 600);
  drawn({car({-500, -500, 10, 10}), car({2000, 2000, 10, 10}), car({-10, -10, 9000, 9000})});
}

TEST_CASE("a track without a class is drawn too, and no track draws nothing") {
  Sighting unknown = car({200, 150, 100, 60});
  unknown.class_id = -1;
  CHECK(painted(drawn({unknown})).width >= 100);
  CHECK(painted(drawn({})).empty());
}
