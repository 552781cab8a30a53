// Heads whose outputs are maps or vectors: depth, pictures, text areas, features.
#include <doctest/doctest.h>

#include <opencv2/imgproc.hpp>

#include "apps/heads/clues.hpp"
#include "apps/heads/new_picture.hpp"
#include "apps/vision/annotate.hpp"
#include "apps/vision/mat_view.hpp"
#include "partition/readers/onnx.hpp"
#include "tests/apps/heads/head_clues.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

const Shape input{48, 64, 3};

cv::Mat random_picture(cv::Size size, uint64_t seed) {
  networks::Random random(seed);
  cv::Mat picture(size, CV_8UC3);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (int c = 0; c < 3; ++c)
        picture.at<cv::Vec3b>(y, x)[c] = static_cast<uchar>(random.between(0, 255));
  return picture;
}

}  // namespace

TEST_CASE("a map that a file puts out with the channels last is read as one with them first") {
  const Clues first = clues_with(input, {{1, 5, 12, 16}});
  Clues last = first;
  last.channels_last = {0};
  const std::vector<std::vector<float>> values{uniform(5 * 12 * 16, -3, 9, 5)};
  std::vector<std::vector<float>> turned{values[0]};
  for (size_t cell = 0; cell < 12 * 16; ++cell)
    for (size_t c = 0; c < 5; ++c) turned[0][cell * 5 + c] = values[0][c * 12 * 16 + cell];
  const auto classes = [](const Clues& clues, Values of) {
    return std::get<ClassMap>(read(reading_with(segmentation_head, clues), {}, of, {100, 80}))
        .classes;
  };
  CHECK(classes(last, turned) == classes(first, values));
}

TEST_CASE("clues name the maps that have the channels last, by how they lie") {
  for (const bool is_last : {true, false}) {
    networks::OnnxGraph graph;
    graph.input("in", {1, 24, 32, 3}, ElementType::f32);
    const std::string first =
        graph.node("Transpose", {"in"}, {{"perm", std::vector<int64_t>{0, 3, 1, 2}}});
    const std::string weights = graph.floats({5, 3, 1, 1}, std::vector<float>(15, 0.5F));
    std::string map = graph.node("Conv", {first, weights});
    if (is_last) map = graph.node("Transpose", {map}, {{"perm", std::vector<int64_t>{0, 2, 3, 1}}});
    graph.output(map, {});
    const std::string file = graph.file();
    const Result<Model> model = read_onnx(std::as_bytes(std::span(file)));
    REQUIRE_MESSAGE(model.ok(), model.error());
    const Clues clues = clues_of(*model, {});
    CHECK(clues.input == Shape{24, 32, 3});
    CHECK(clues.outputs[0].dims == testing::Dims{1, 5, 24, 32});
    CHECK(clues.channels_last == (is_last ? std::vector<size_t>{0} : std::vector<size_t>{}));
  }
}

TEST_CASE("a depth's pixels have the number of the cell around their middles") {
  const int h = 12, w = 16;
  for (const testing::Dims& dims : {testing::Dims{1, h, w}, testing::Dims{1, 1, h, w}}) {
    const Clues clues = clues_with(input, {dims});
    REQUIRE(depth_head.claim(clues)->certainty == Certainty::shared);
    const std::vector<std::vector<float>> values{uniform(h * w, -3, 9, 5)};
    const auto map =
        std::get<ValueMap>(read(reading_with(depth_head, clues), {}, values, {100, 80}));
    REQUIRE(map.width == 100);
    REQUIRE(map.height == 80);
    float least = 1e9F, most = -1e9F;
    for (int y = 0; y < 80; ++y)
      for (int x = 0; x < 100; ++x) {
        const auto row = static_cast<size_t>((y + 0.5) / 80 * h);
        const auto column = static_cast<size_t>((x + 0.5) / 100 * w);
        const float expected = values[0][row * w + column];
        CHECK(map.values[static_cast<size_t>(y * 100 + x)] == expected);
        least = std::min(least, expected), most = std::max(most, expected);
      }
    CHECK(range_of(map).least == least);
    CHECK(range_of(map).most == most);
  }
  CHECK(depth_head.claim(named(clues_with(input, {{1, h, w}}), {"predicted_depth"}))->certainty ==
        Certainty::stated);
  CHECK_FALSE(depth_head.claim(clues_with(input, {{1, 2, h, w}})));
  CHECK_FALSE(depth_head.claim(clues_with(input, {{1, h, w + 1}})));
}

TEST_CASE("a depth is drawn bright where it is large, and nowhere where it is no number") {
  ValueMap map{.width = 4, .height = 1, .values = {1, 5, NAN, INFINITY}};
  cv::Mat picture(1, 4, CV_8UC3, cv::Scalar::all(77));
  annotate(picture, map, {});
  const auto brightness = [&](int x) {
    const auto pixel = picture.at<cv::Vec3b>(0, x);
    return pixel[0] + pixel[1] + pixel[2];
  };
  CHECK(brightness(0) < brightness(1));
  CHECK(picture.at<cv::Vec3b>(0, 2) == cv::Vec3b(77, 77, 77));
  CHECK(picture.at<cv::Vec3b>(0, 3) == cv::Vec3b(77, 77, 77));
  map.values = {2, 2, 2, 2};  // no range to spread
  annotate(picture, map, {});
  map.values = {NAN, NAN, NAN, NAN};
  annotate(picture, map, {});
}

TEST_CASE("a picture's planes become the pixels that they would have been made from") {
  for (const ColourOrder colour : {ColourOrder::rgb, ColourOrder::bgr})
    for (const int factor : {1, 2, 3}) {
      const cv::Size size(input.w * factor, input.h * factor);
      const Clues clues = clues_with(input, {{1, 3, size.height, size.width}});
      REQUIRE(picture_head.claim(clues).has_value());
      CHECK((picture_head.claim(clues)->certainty == Certainty::stated) == (factor > 1));
      Reading reading = reading_with(picture_head, clues);
      reading.preparation.colour = colour;
      reading.preparation.mean = {10, 20, 30};
      reading.preparation.deviation = {50, 60, 70};
      // Given what the network would have been given of a picture of its output's size
      const cv::Mat expected = random_picture(size, 3);
      std::vector<std::vector<float>> values(1);
      for (size_t c = 0; c < 3; ++c)
        for (int y = 0; y < size.height; ++y)
          for (int x = 0; x < size.width; ++x) {
            const int channel = static_cast<int>(colour == ColourOrder::rgb ? 2 - c : c);
            values[0].push_back((static_cast<float>(expected.at<cv::Vec3b>(y, x)[channel]) -
                                 reading.preparation.mean[c]) /
                                reading.preparation.deviation[c]);
          }
      const auto made = std::get<NewPicture>(read(reading, {}, values, {31, 57}));
      REQUIRE(made.image.size == size_of(expected));
      CHECK(cv::norm(mat_of(made.image), expected, cv::NORM_INF) == 0);
      cv::Mat picture = random_picture({31, 57}, 9);
      annotate(picture, made, {});
      CHECK(cv::norm(picture, expected, cv::NORM_INF) == 0);
    }
}

TEST_CASE("of a picture in the middle of its input the border is cut away") {
  const Clues clues = clues_with(input, {{1, 3, 96, 128}});
  Reading reading = reading_with(picture_head, clues);
  reading.preparation.fit = Fit::centred;
  const std::vector<std::vector<float>> values{std::vector<float>(3 * 96 * 128, 0.5F)};
  // 24 x 48 in an input of 64 x 48, so 48 x 96 of an output of 128 x 96
  CHECK(std::get<NewPicture>(read(reading, {}, values, {24, 48})).image.size == PixelSize{48, 96});
}

TEST_CASE("a grey network's picture keeps the colours of the picture") {
  const Clues clues = clues_with({48, 64, 1}, {{1, 1, 96, 128}});
  const Reading reading = reading_with(picture_head, clues);
  const cv::Mat source(60, 80, CV_8UC3, cv::Scalar(40, 90, 200));
  cv::Mat luma;
  cv::cvtColor(source, luma, cv::COLOR_BGR2GRAY);
  const float same = static_cast<float>(luma.at<uchar>(0, 0)) / 255.0F;
  const std::vector<std::vector<float>> values{std::vector<float>(96 * 128, same)};
  const auto made = std::get<NewPicture>(read(reading, {}, values, {80, 60}));
  REQUIRE(made.image.channels == 1);
  cv::Mat picture = source.clone();
  annotate(picture, made, {});
  REQUIRE(picture.size() == cv::Size(128, 96));
  const cv::Mat expected(96, 128, CV_8UC3, cv::Scalar(40, 90, 200));
  CHECK(cv::norm(picture, expected, cv::NORM_INF) <= 2);
}

TEST_CASE("planes that are no numbers are black, and too large ones white") {
  const std::vector<float> values{NAN, INFINITY, -INFINITY, 300, -4, 0.5F};
  const Bitmap made =
      new_picture({values, {1, 6, 1}}, {.deviation = {100, 1, 1}}, {1, 6, 1}, {6, 1});
  const std::vector<int> expected{0, 255, 0, 255, 0, 50};
  for (int x = 0; x < 6; ++x)
    CHECK(made.bytes[static_cast<size_t>(x)] == expected[static_cast<size_t>(x)]);
}

TEST_CASE("a map of another shape or number of channels is no picture") {
  CHECK_FALSE(picture_head.claim(clues_with(input, {{1, 3, 96, 64}})));
  CHECK_FALSE(picture_head.claim(clues_with(input, {{1, 3, 72, 96}})));
  CHECK_FALSE(picture_head.claim(clues_with(input, {{1, 3, 24, 32}})));
  CHECK_FALSE(picture_head.claim(clues_with(input, {{1, 1, 96, 128}})));
}

TEST_CASE("a text area is its rectangle, widened by its area through its circumference") {
  const Shape page{120, 160, 3};
  const Clues clues = clues_with(page, {{1, 1, page.h, page.w}});
  REQUIRE(dbnet_head.claim(clues).has_value());
  std::vector<std::vector<float>> values{std::vector<float>(120 * 160, 0.1F)};
  const auto fill = [&](cv::Rect area, float value) {
    for (int y = area.y; y < area.y + area.height; ++y)
      for (int x = area.x; x < area.x + area.width; ++x)
        values[0][static_cast<size_t>(y * 160 + x)] = value;
  };
  fill({20, 30, 60, 12}, 0.9F);
  fill({100, 10, 8, 50}, 0.8F);
  fill({20, 80, 60, 12}, 0.5F);  // too faint
  fill({120, 100, 2, 2}, 0.9F);  // too small
  fill({0, 119, 160, 1}, NAN);
  const auto found = std::get<TurnedBoxes>(
      read(reading_with(dbnet_head, clues), {.min_score = 0.6F}, values, {160, 120}));
  REQUIRE(found.size() == 2);
  const double first = 60.0 * 12 * 1.5 / (2 * (60 + 12)), second = 8.0 * 50 * 1.5 / (2 * (8 + 50));
  CHECK(found[0].score == doctest::Approx(0.9).epsilon(1e-4));
  CHECK(found[0].x == doctest::Approx(50).epsilon(1e-4));
  CHECK(found[0].y == doctest::Approx(36).epsilon(1e-4));
  CHECK(found[0].w == doctest::Approx(60 + 2 * first).epsilon(1e-4));
  CHECK(found[0].h == doctest::Approx(12 + 2 * first).epsilon(1e-4));
  CHECK(std::min(std::abs(found[0].angle), std::abs(found[0].angle - 3.14159F)) < 1e-3F);
  CHECK(found[1].x == doctest::Approx(104).epsilon(1e-4));
  CHECK(found[1].w == doctest::Approx(50 + 2 * second).epsilon(1e-4));  // the longer side first
  CHECK(found[1].angle == doctest::Approx(1.5708).epsilon(1e-3));
}

TEST_CASE("a slanted line of text has its slant") {
  const Shape page{160, 160, 3};
  const Clues clues = clues_with(page, {{1, page.h, page.w}});
  const double angle = 0.5;
  std::vector<std::vector<float>> values(1);
  for (int y = 0; y < 160; ++y)
    for (int x = 0; x < 160; ++x) {
      const double dx = x + 0.5 - 80, dy = y + 0.5 - 70;
      const bool inside = std::abs(dx * std::cos(angle) + dy * std::sin(angle)) <= 50 &&
                          std::abs(dy * std::cos(angle) - dx * std::sin(angle)) <= 10;
      values[0].push_back(inside ? 0.95F : 0.0F);
    }
  const auto found = std::get<TurnedBoxes>(
      read(reading_with(dbnet_head, clues), {.min_score = 0.6F}, values, {160, 160}));
  REQUIRE(found.size() == 1);
  const double widened = 100.0 * 20 * 1.5 / (2 * (100 + 20));
  CHECK(found[0].angle == doctest::Approx(angle).epsilon(0.02));
  CHECK(found[0].x == doctest::Approx(80).epsilon(0.01));
  CHECK(found[0].y == doctest::Approx(70).epsilon(0.01));
  CHECK(found[0].w == doctest::Approx(100 + 2 * widened).epsilon(0.02));
  CHECK(found[0].h == doctest::Approx(20 + 2 * widened).epsilon(0.06));
}

TEST_CASE("features are told as they are") {
  const Clues clues = clues_with(input, {{1, 5}});
  CHECK(features_head.claim(clues)->certainty == Certainty::shared);
  CHECK(features_head.claim(named(clues, {"embedding"}))->certainty == Certainty::stated);
  const std::vector<std::vector<float>> values{uniform(5, -1, 1, 2)};
  CHECK(std::get<Features>(read(reading_with(features_head, clues), {}, values, {9, 9})).values ==
        values[0]);
}
