// Findings: masks brought back to the picture, the best classes, how they are told and drawn.
#include "apps/findings/finding.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>
#include <set>

#include "apps/run/results.hpp"
#include "apps/vision/annotate.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

ClassMap random_map(networks::Random& random, int32_t width, int32_t height) {
  ClassMap map{width, height, {}};
  for (int32_t i = 0; i < width * height; ++i) map.classes.push_back(random.between(0, 4));
  return map;
}

FrameResult result_of(Finding finding) {
  return {.frame = 3, .name = "a.jpg", .milliseconds = 5, .finding = std::move(finding)};
}

const ClassNames names{"road", "car"};

}  // namespace

TEST_CASE("a mask's pixels are those of the input's place that they came from") {
  networks::Random random(5);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const Shape input{random.between(8, 60), random.between(8, 60), 3};
    const PixelSize picture{random.between(5, 90), random.between(5, 90)};
    const ClassMap cells = random_map(random, random.between(1, 9), random.between(1, 9));
    for (const Fit fit : {Fit::letterbox, Fit::centred, Fit::stretch, Fit::crop}) {
      const Placement placement = place(fit, picture, input);
      const ClassMap map = in_picture(cells, input, placement, picture);
      REQUIRE(map.width == picture.width);
      REQUIRE(map.height == picture.height);
      for (int y = 0; y < picture.height; ++y)
        for (int x = 0; x < picture.width; ++x) {
          // Its middle in the input, and the cell around that, found by looking at all of them.
          const double at_x = placement.left + (x + 0.5) * placement.scale_x;
          const double at_y = placement.top + (y + 0.5) * placement.scale_y;
          const int told = map.classes[static_cast<size_t>(y * map.width + x)];
          if (told == ClassMap::unseen) {
            CHECK(
                (at_x <= 1e-9 || at_y <= 1e-9 || at_x >= input.w - 1e-9 || at_y >= input.h - 1e-9));
            continue;
          }
          bool possible = false;
          for (int row = 0; row < cells.height; ++row)
            for (int column = 0; column < cells.width; ++column) {
              const double left = double(input.w) * column / cells.width;
              const double top = double(input.h) * row / cells.height;
              const bool holds =
                  at_x >= left - 1e-9 && at_x <= left + double(input.w) / cells.width + 1e-9 &&
                  at_y >= top - 1e-9 && at_y <= top + double(input.h) / cells.height + 1e-9;
              possible =
                  possible ||
                  (holds && cells.classes[static_cast<size_t>(row * cells.width + column)] == told);
            }
          CHECK(possible);
        }
      if (fit != Fit::crop)
        CHECK(std::count(map.classes.begin(), map.classes.end(), ClassMap::unseen) == 0);
    }
  }
}

TEST_CASE("a crop leaves the rest of the picture unseen") {
  const ClassMap cells{1, 1, {7}};
  const Placement placement = place(Fit::crop, {30, 10}, {20, 20, 3});
  const ClassMap map = in_picture(cells, {20, 20, 3}, placement, {30, 10});
  for (int x = 0; x < 30; ++x)
    CHECK(map.classes[static_cast<size_t>(x)] == (x < 10 || x >= 20 ? ClassMap::unseen : 7));
}

TEST_CASE("the best classes are the five highest scores") {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    networks::Random random(seed);
    std::vector<float> scores(static_cast<size_t>(random.between(1, 20)));
    for (float& score : scores) score = static_cast<float>(random.between(0, 9)) / 10.0F;
    std::vector<std::pair<float, int>> sorted;
    for (int i = 0; i < std::ssize(scores); ++i)
      if (scores[static_cast<size_t>(i)] >= 0.2F)
        sorted.push_back({-scores[static_cast<size_t>(i)], i});
    std::sort(sorted.begin(), sorted.end());
    sorted.resize(std::min<size_t>(sorted.size(), 5));
    Classification expected;
    for (const auto& [score, id] : sorted) expected.push_back({id, -score});
    CHECK(best_of(scores, 0.2F) == expected);
  }
}

TEST_CASE("shares count what is seen, most first") {
  const ClassMap map{4, 2, {1, 1, 0, ClassMap::unseen, 1, 2, 2, 2}};
  CHECK(shares_of(map) == std::vector<ClassShare>{{1, 3}, {2, 3}, {0, 1}});
}

TEST_CASE("each finding has its line for programs") {
  const Json boxes = Json::parse(json_line(result_of(Detections{{1, 0.5F, {1, 2, 3, 4}}}), names));
  CHECK(boxes["boxes"][0]["name"] == "car");
  CHECK(boxes["boxes"][0]["w"] == 3);
  const ClassMap map{3, 2, {0, 0, 1, 1, 1, 5}};
  const Json mask = Json::parse(json_line(result_of(map), names))["mask"];
  CHECK(mask["w"] == 3);
  CHECK(mask["runs"] == Json({0, 2, 1, 3, 5, 1}));
  CHECK(mask["classes"][0] == Json({{"class", 1}, {"name", "car"}, {"share", 0.5}}));
  CHECK(mask["classes"][2]["name"] == "class 5");
  const Json best = Json::parse(json_line(result_of(Classification{{1, 0.75F}}), names));
  CHECK(best["best"] == Json::array({{{"class", 1}, {"name", "car"}, {"score", 0.75}}}));
  const Json raw = Json::parse(json_line(result_of(Unread{}), names));
  CHECK(raw["frame"] == 3);
  CHECK_FALSE(raw.contains("boxes"));
}

TEST_CASE("each finding has its line for people") {
  const auto line = [](Finding finding) { return text_line(result_of(std::move(finding)), names); };
  CHECK(line(Detections{{1, 0.5F, {}}, {1, 0.4F, {}}, {0, 0.3F, {}}}) ==
        "a.jpg: 2 car, 1 road (5 ms)\n");
  CHECK(line(Detections{}) == "a.jpg: nothing found (5 ms)\n");
  CHECK(line(ClassMap{2, 2, {0, 0, 0, 1}}) == "a.jpg: road 75 %, car 25 % (5 ms)\n");
  CHECK(line(Classification{{1, 0.75F}}) == "a.jpg: car 75 % (5 ms)\n");
  CHECK(line(Unread{}) == "a.jpg: computed (5 ms)\n");
}

TEST_CASE("areas are drawn in their class's colour, the unseen not at all") {
  cv::Mat picture(200, 200, CV_8UC3, cv::Scalar::all(100));
  ClassMap map{200, 200, std::vector<int32_t>(200 * 200, ClassMap::unseen)};
  for (size_t i = 20'000; i < 40'000; ++i) map.classes[i] = 1;
  annotate(picture, map, names);
  const cv::Scalar colour = colour_of(1);
  const auto seen = picture.at<cv::Vec3b>(190, 190), unseen = picture.at<cv::Vec3b>(90, 190);
  for (int c = 0; c < 3; ++c) {
    CHECK(seen[c] == (100 + static_cast<int>(colour[c])) / 2);
    CHECK(unseen[c] == 100);
  }
}

TEST_CASE("classes and boxes are drawn, and raw outputs leave the picture alone") {
  const cv::Mat before(100, 100, CV_8UC3, cv::Scalar::all(9));
  const auto changed = [&](const Finding& finding) {
    cv::Mat picture = before.clone();
    annotate(picture, finding, names);
    return cv::norm(picture, before) > 0;
  };
  CHECK(changed(Classification{{1, 0.75F}}));
  CHECK(changed(Detections{{0, 0.5F, {10, 10, 30, 30}}}));
  CHECK_FALSE(changed(Unread{}));
}

TEST_CASE("a label is no larger than its box, and small boxes have none") {
  const cv::Mat before(1000, 1000, CV_8UC3, cv::Scalar::all(9));
  int labelled = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    networks::Random random(seed);
    const cv::Rect box(random.between(0, 700), random.between(210, 700), random.between(1, 200),
                       random.between(1, 200));
    const auto part = [](int value) { return static_cast<float>(value); };
    cv::Mat picture = before.clone(), drawn;
    annotate(picture,
             Detections{{1, 0.5F, {part(box.x), part(box.y), part(box.width), part(box.height)}}},
             names);
    cv::extractChannel(picture != before, drawn, 1);
    const cv::Rect seen = cv::boundingRect(drawn);
    const int line = 2;  // lines run along the border, half outside
    CHECK(seen.x >= box.x - line);
    CHECK(seen.br().x <= box.br().x + line);
    CHECK(seen.br().y <= box.br().y + line);
    CHECK(seen.y >= box.y - box.height - line);
    const bool has_label = seen.y < box.y - line;
    labelled += has_label ? 1 : 0;
    if (box.width < 20 || box.height < 8) CHECK_FALSE(has_label);
    if (box.width > 120 && box.height > 40) CHECK(has_label);
  }
  CHECK(labelled > 20);
  CHECK(labelled < 95);
}

TEST_CASE("the first 256 classes have colours of their own") {
  std::set<std::tuple<int, int, int>> colours;
  for (int c = 0; c < 256; ++c) {
    const cv::Scalar colour = colour_of(c);
    colours.insert({int(colour[0]), int(colour[1]), int(colour[2])});
  }
  CHECK(colours.size() == 256);
}
