// Heatmaps and time-space diagrams: what is drawn, and that it is a picture.
#include "apps/drone/results/drawings.hpp"

#include <doctest/doctest.h>

#include <opencv2/imgcodecs.hpp>

#include "tests/drone/count/drives.hpp"

using namespace shingle::drone;

namespace {

std::vector<Path> paths_in_pixels(const std::vector<Sighting>& sightings) {
  return paths_of(sightings, *SitePlane::of({.file = "site.toml"})).paths;
}

int brightness(const cv::Mat& picture, int x, int y) {
  const auto pixel = picture.at<cv::Vec3b>(y, x);
  return pixel[0] + pixel[1] + pixel[2];
}

const Lane lane{.name = "lane",
                .corners = rectangle({100, 0}, {500, 100}),
                .direction = {{500, 50}, {100, 50}}};

}  // namespace

TEST_CASE("a heatmap is bright where vehicles were, brightest where they stood") {
  auto sightings = drive(1, {{100, 100}, {1100, 100}, 0.0, 10.0});
  append(sightings, drive(2, {{600, 600}, {600, 600}, 0.0, 10.0}));
  const auto bytes = heatmap_png(paths_in_pixels(sightings), true);
  REQUIRE(bytes);
  const cv::Mat picture = cv::imdecode(*bytes, cv::IMREAD_COLOR);
  REQUIRE(!picture.empty());
  CHECK(picture.cols == 1041);  // a thousand cells and two margins
  CHECK(picture.rows == 541);
  const int road = brightness(picture, 300, 20), stop = brightness(picture, 520, 520),
            grass = brightness(picture, 300, 300);
  CHECK(grass < 20);
  CHECK(road > grass + 100);
  CHECK(stop > road + 100);
}

TEST_CASE("a time-space diagram has distances along the lane's direction, from its begin") {
  auto sightings = drive(1, {{600, 50}, {0, 50}, 0.0, 6.0});  // along the lane, which begins at 500
  append(sightings, drive(2, {{100, 300}, {500, 300}, 0.0, 4.0}));  // beside the lane
  const TimeSpace diagram = time_space(paths_in_pixels(sightings), lane);
  CHECK(diagram.length == doctest::Approx(400.0));
  REQUIRE(diagram.lines.size() == 1);
  const TimeSpaceLine& line = diagram.lines[0];
  CHECK(line.track == 1);
  CHECK(line.points.front().x == doctest::Approx(1.04));
  CHECK(line.points.front().y == doctest::Approx(4.0));
  CHECK(line.points.back().y == doctest::Approx(400.0).epsilon(0.02));
  const auto bytes = time_space_png(diagram, "px");
  REQUIRE(bytes);
  CHECK(!cv::imdecode(*bytes, cv::IMREAD_COLOR).empty());
}
